import { inject, it } from 'vitest';
import { openMongo } from '../store/mongo.ts';
it('speed', async () => {
  const mongo = openMongo({ uri: inject('mongodbUri'), database: `speed-${Date.now()}`, timeoutMs: 5000 });
  const time = async (label: string, times: number, call: (n: number) => Promise<unknown>) => {
    const t = performance.now();
    for (let n = 0; n < times; n += 1) await call(n);
    console.log('RESULT', label, ((performance.now() - t) / times).toFixed(2), 'ms each');
  };
  for (const [name, size, count] of [['small', 100, 3000], ['big', 200_000, 100]] as const) {
    const c = mongo.db.collection<any>(name);
    for (let from = 0; from < count; from += 50) await c.insertMany(Array.from({ length: 50 }, (_, n) => ({ _id: `r/x/${from + n}`, text: 'x'.repeat(size) })));
    await time(`${name} findOne _id`, 20, (n) => c.findOne({ _id: `r/x/${n}` }));
    await time(`${name} find.toArray`, 20, (n) => c.find({ _id: `r/x/${n}` }).toArray());
    await time(`${name} missing`, 20, (n) => c.findOne({ _id: `r/y/${n}` }));
    await time(`${name} replace`, 20, (n) => c.replaceOne({ _id: `r/x/${n}` }, { text: 'y'.repeat(size) }, { upsert: true }));
    await time(`${name} insert`, 20, (n) => c.insertOne({ _id: `r/z/${n}`, text: 'y'.repeat(size) }));
    console.log('RESULT', JSON.stringify(await c.find({ _id: 'r/x/1' }).explain()).slice(0, 1500));
  }
  const c = mongo.db.collection<any>('nested');
  await c.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: `r/x/${n}`, items: Array.from({ length: 100 }, () => ({ a: 'x'.repeat(1500), b: ['1', '2'] })) })).slice(0, 30));
  await c.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: `r/x/${n}`, items: Array.from({ length: 100 }, () => ({ a: 'x'.repeat(1500), b: ['1', '2'] })) })).slice(30, 60));
  await time('nested findOne', 20, (n) => c.findOne({ _id: `r/x/${n}` }));
  await time('nested missing', 20, (n) => c.findOne({ _id: `r/y/${n}` }));
  await mongo.close();
}, 200_000);
