const DAY_MS = 86_400_000;
const KINDS = [
  ['audio', '0.005'],
  ['captions', '0.003'],
  ['speaker_labels', '0.030'],
  ['list', '0.010'],
  ['vidnet_video', '0.010'],
] as const;
const ENTRIES = 160;
const DAYS = 28;

/** An account that was used for a month, ever more: nothing in a sandbox lasts that long. */
export function exampleAccount() {
  const entries = Array.from({ length: ENTRIES }, (_, index) => {
    const [type, amount] = KINDS[index % KINDS.length] ?? KINDS[0];
    const bookedAt = new Date(Date.now() - DAYS * DAY_MS * (index / ENTRIES) ** 1.6);
    const downloadId = `01M834AZDEX9TAF13XSN4TT${String(100 + index)}`;
    return { download_id: downloadId, type, media_id: 'kX3vQ9mTz0A', amount, booked_at: bookedAt.toISOString() };
  });
  return {
    key: {
      id: '01M7Z0G5ZQ4H0V3K8D2M6C1X9B',
      name: 'Evening Talks',
      scopes: ['read', 'jobs', 'webhooks'],
      created_at: new Date(Date.now() - 2 * DAYS * DAY_MS).toISOString(),
    },
    ...{ credit: '8.214', reserved: '0.010', spent: '1.856', entries, next_cursor: null },
  };
}
