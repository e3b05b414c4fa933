// node bare-server.ts MONGODB_URI DATABASE: what no service of this kind can do without, and nothing else. Tells its port on stdout.
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
// Whoever started it is gone.
process.stdin.resume().on('end', () => process.exit());
