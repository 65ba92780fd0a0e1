// fences: what of a document stands outside of its fenced blocks, as CommonMark reads them.
// The one rule: this reader shares nothing with whoever writes fences but the places where a line ends.
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
