// Plain: a text as people read it: without colour and hidden characters, with plain quotes and line ends.
import { withoutHidden } from "./Hidden.ts"
import { lines } from "./Text.ts"

/** The text without terminal sequences and hidden characters, with plain quotes and `\n` at the ends of lines. */
export const plain = (text: string): string =>
  withoutHidden(lines(text).join("\n"), "\n\t")
    .replace(/[\u2018\u2019\u02bc\uff07]/g, "'")
    .replace(/[\u201c\u201d\u201e]/g, '"')
