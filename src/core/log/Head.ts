// Head: a position in a log, by the number and the hash of its last line.

/** The position a decision was made from: the last committed line's number and hash; seq 0 before any line. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The position before any line. */
export const beginning: Head = { seq: 0, hash: "" }

/** Whether two positions follow the same line. */
export const sameHead = (a: Head, b: Head): boolean => a.seq === b.seq && a.hash === b.hash
