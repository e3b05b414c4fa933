/** The encoding of an encrypted payload, as in Temporal's samples. */
export const ENCRYPTED = 'binary/encrypted';
/** The encoding of a payload that claims to be encrypted but cannot be decrypted. */
export const UNREADABLE = 'binary/unreadable';
