// Marker: what stands where a secret stood.

/** The words in a secret's place. */
export const marker = "[redacted]"
