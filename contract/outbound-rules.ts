/**
 * Names of private networks and of infrastructure: reserved by RFCs 3172, 6761, 6762 and 8375 or by ICANN, or in wide use
 * although never delegated. Those that are reserved and lead nowhere (`.test`, `.invalid`) need no entry.
 */
export const PRIVATE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'localnet',
  'workgroup',
  'domain',
  'dhcp',
  // Name servers of containers and clusters.
  'svc',
  'default',
  'cluster',
  'consul',
  'docker',
] as const;

/**
 * Ports of infrastructure whose wire protocol skips or answers the lines of an HTTP request, or that serve an
 * administrative HTTP interface often left without a password. No webhook receiver lives there.
 * Below 1024 only 80 and 443 are open to callers, so mail, FTP, SSH and the like need no entry.
 */
// prettier-ignore
export const INFRASTRUCTURE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 3306, 5432, 5984, 7687, 8086, 9042, 26257, 27017, 27018, 27019, // databases
  6379, 6380, 11211, 26379, // Redis, memcached, Sentinel: they read commands line by line
  2181, 2379, 2380, 4001, 8200, 8201, 8300, 8301, 8302, 8500, 8501, 8600, // ZooKeeper, etcd, Vault, Consul
  1883, 4222, 5671, 5672, 8883, 9092, 15672, 61613, 61616, // MQTT, NATS, RabbitMQ, Kafka, ActiveMQ
  9200, 9300, // Elasticsearch
  2375, 2376, 2377, 6443, 10250, 10255, 10256, 10257, 10259, // Docker, Kubernetes
  7233, 7234, 7235, 7239, 7243, 8233, // Temporal
  9100, // printers, which print what they get
  2049, 3128, 3260, 3389, 5900, 5901, 5985, 5986, 6000, 8125, // NFS, proxies, iSCSI, remote desktops, WinRM, X11, statsd
  1719, 1720, 1723, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, // closed in browsers too (WHATWG Fetch)
]);
