import { MongoClient } from 'mongodb';

export async function pingMongodb(uri: string, timeoutMs: number): Promise<void> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs });
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}
