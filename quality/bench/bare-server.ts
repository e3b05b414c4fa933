// node bare-server.ts MONGODB_URI DATABASE: a server that only does what every such service must do. It prints its URL.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { H3, getQuery, getRouterParam, serve } from 'h3';
import { MongoClient } from 'mongodb';

const [uri = '', database = ''] = process.argv.slice(2);
const client = await MongoClient.connect(uri);
const records = client.db(database).collection<{ _id: string }>('records');

const app = new H3();
app.get('/record/:id', (event) => records.findOne({ _id: getRouterParam(event, 'id') ?? '' }));
app.get('/file', (event) => Readable.toWeb(createReadStream(String(getQuery(event)['path']))) as ReadableStream);
const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false });
await server.ready();
console.log(server.url);
// The parent process has ended.
process.stdin.resume().on('end', () => process.exit());
