export { serveOnLoopback as serve } from '../../local/loopback-server.ts';
