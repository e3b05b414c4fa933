// Keeps the namespaces that it was started in, and makes ports of another host answer on the loopback of this one: lines on
// standard input name port and host. Ends with its input.
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

createInterface({ input: process.stdin }).on('line', (line) => {
  const [port, host] = line.split(' ');
  createServer((near) => {
    const far = connect(Number(port), host);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(Number(port), '127.0.0.1', () => process.stdout.write(`${line}\n`));
});
process.stdin.on('end', () => process.exit());
