const FAIRNESS_KEY_MAX_CHARS = 64;

/**
 * The receiver of a webhook, for servers that share out the tasks of a queue by it (others ignore it): its host and port,
 * or their end, which tells receivers apart better than the beginning does.
 */
export function fairnessKeyOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.slice(-FAIRNESS_KEY_MAX_CHARS) : '';
}
