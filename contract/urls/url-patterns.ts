import { CHANNEL_TABS } from './channel-urls.ts';
import { OWN_PAGES } from './imgnet-urls.ts';

/** Reserved by RFCs 3172, 6761, 6762 and 8375 or by ICANN, or in wide use without a delegation. */
export const PRIVATE_SUFFIXES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'arpa'],
  ...['localnet', 'workgroup', 'domain', 'dhcp'],
  // The DNS of containers and clusters resolves these names.
  ...['svc', 'default', 'cluster', 'consul', 'docker'],
];

/** Ports from 1024 whose protocol processes or ignores the lines of an HTTP request, or that often have no password. */
// prettier-ignore
export const INFRASTRUCTURE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 3306, 5432, 5984, 7687, 8086, 9042, 26257, 27017, 27018, 27019, // databases
  6379, 6380, 11211, 26379, // Redis, memcached, Sentinel: they process commands line by line
  2181, 2379, 2380, 4001, 8200, 8201, 8300, 8301, 8302, 8500, 8501, 8600, // ZooKeeper, etcd, Vault, Consul
  1883, 4222, 5671, 5672, 8883, 9092, 15672, 61613, 61616, // MQTT, NATS, RabbitMQ, Kafka, ActiveMQ
  9200, 9300, // Elasticsearch
  2375, 2376, 2377, 6443, 10250, 10255, 10256, 10257, 10259, // Docker, Kubernetes
  7233, 7234, 7235, 7239, 7243, 8233, // Temporal
  9100, // printers, which print the request
  2049, 3128, 3260, 3389, 5900, 5901, 5985, 5986, 6000, 8125, // NFS, proxies, iSCSI, remote desktops, WinRM, X11, statsd
  1719, 1720, 1723, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, // closed in browsers too (WHATWG Fetch)
]);

/*
 * The patterns below (ECMA-262, as in JSON Schema) match URLs that are accepted from every caller, whatever the settings are. They
 * document the API and validate nothing: the validation accepts more, such as public addresses, and explains a rejection. All
 * look-aheads are negative, because generators of test data can ignore those.
 */

const PART_END = '(?:[/?#]|$)';
const REST = '/?(?:[?#]\\S*)?';
const SCHEME = '(?:https?://)?(?:www\\.|m\\.)?';

/** JSON Schema has no flag for this. */
function anyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

function oneOf(words: Iterable<string | number>): string {
  return `(?:${[...words].map((word) => anyCase(String(word))).join('|')})`;
}

/** Encoded names of other scripts are excluded, because a pattern cannot decide which of them are valid. */
const LABEL = '(?![Xx][Nn]--)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const TOP_LABEL = `(?!${oneOf(PRIVATE_SUFFIXES)}\\.?(?:[:/?#]|$))[A-Za-z]{2,63}\\.?`;
const PORTS_FROM_1024 =
  '102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';
const PORT = `(?!${oneOf(INFRASTRUCTURE_PORTS)}${PART_END})(?:80|443|${PORTS_FROM_1024})`;

/** A full host name of at most 253 characters, an allowed port, and ASCII without a backslash. */
export const WEBHOOK_URL_PATTERN =
  `^[Hh][Tt]{2}[Pp][Ss]?://(?![^:/?#]{254})(?:${LABEL}\\.)+${TOP_LABEL}` + `(?::${PORT})?(?:[/?#][!-\\[\\]-~]*)?$`;

/** Letters of every Unicode version; the meaning of `\p{L}` depends on the version. */
const LETTERS = 'A-Za-zÀ-ÖØ-öø-ɏЀ-ҁҊ-ԯא-תء-غअ-हぁ-ゖァ-ヺ一-鿿가-힣';
/** A trailing dot belongs to the text around a URL. */
const LAST = `[${LETTERS}0-9_-]`;
const HANDLE = `[${LETTERS}0-9._·-]{2,59}${LAST}`;
const CHANNEL_ID = 'UC[A-Za-z0-9_-]{22}';
const CHANNEL_NAME = `[${LETTERS}0-9._-]{0,99}${LAST}`;
const CHANNEL_PATH = `(?:@${HANDLE}|channel/${CHANNEL_ID}|(?:c|user)/${CHANNEL_NAME})(?:/${oneOf(CHANNEL_TABS)})?`;
export const CHANNEL_URL_PATTERN = `^(?:@?${HANDLE}|${SCHEME}(?:music\\.)?youtube\\.com/${CHANNEL_PATH}${REST})$`;

const ACCOUNT = `(?!${oneOf(OWN_PAGES)}${PART_END})(?!\\.)(?![^/?#]*\\.(?:[./?#]|$))[A-Za-z0-9._]{1,30}`;
export const PROFILE_URL_PATTERN = `^(?:@${ACCOUNT}/?|${SCHEME}instagram\\.com/${ACCOUNT}(?:/(?:reels|tagged))?${REST})$`;

const POST_PATH = `(?:p|tv|reel|(?!reels/audio${PART_END})reels)/[A-Za-z0-9_-]{1,64}`;
export const POST_URL_PATTERN = `^${SCHEME}instagram\\.com/(?:${ACCOUNT}/)?${POST_PATH}${REST}$`;
