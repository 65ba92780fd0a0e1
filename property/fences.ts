// fences: the part of a document outside of its fenced blocks, as CommonMark reads them.
// This reader shares nothing with the writer of fences except where a line ends.
import { lines } from "../src/text/Untrusted.ts"

/** The lines of a document outside of its fences; null when a fence stays open. Also reads lines at a lone `\r`. */
export const outside = (document: string): ReadonlyArray<string> | null => {
  let fence = ""
  const free = lines(document).filter((line) => {
    const [, mark = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    const within = fence !== ""
    if (!within) fence = mark
    else if (mark.startsWith(fence) && info.trim() === "") fence = ""
    return !within && mark === ""
  })
  return fence === "" ? free : null
}
