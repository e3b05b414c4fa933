import { BlockList, isIP } from 'node:net';

/** @param text networks as `address/bits`, parted by commas @throws Error naming the entry that is none */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const entry of text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address);
    const bits = Number(prefix);
    if (family === 0 || !/^\d{1,3}$/.test(prefix ?? '') || bits > (family === 4 ? 32 : 128)) {
      throw new Error(`${JSON.stringify(entry)} is no network such as 127.0.0.0/8`);
    }
    networks.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}
