/** How a payload says that it is encrypted, as Temporal's own samples have it. */
export const ENCRYPTED = 'binary/encrypted';
/** Of what claims to be, and is not by any key of ours. */
export const UNREADABLE = 'binary/unreadable';
