// Fingerprint: a short name for a kind of defect at a path, the same across batches and reviewers.
// The one rule: it depends on the words of the title and on the path, never on lines or on the body.

const offset = 0xcbf29ce484222325n
const prime = 0x100000001b3n

/**
 * FNV-1a, 64 bits, over UTF-16 code units, as 16 hex digits. Not cryptographic, on purpose: it must be pure and cheap,
 * it only names the findings of one run, and nothing trusts it. A crafted collision merely gives two findings one name;
 * merging never relies on it alone.
 */
export const fnv1a64 = (text: string): string => {
  let hash = offset
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = BigInt.asUintN(64, (hash ^ BigInt(unit & 0xff)) * prime)
    hash = BigInt.asUintN(64, (hash ^ BigInt(unit >> 8)) * prime)
  }
  return hash.toString(16).padStart(16, "0")
}

const fillers = new Set(
  ("a an and any are as at be been before by can could do does for from has have if in into is it its may might must " +
    "need needs of on or should so that the their them then there these this those to was were when where which " +
    "while will with would you").split(" ")
)

const longest = 64

// A rough stem: "handles", "handled" and "handling" become one word.
const stem = (word: string): string => {
  if (word.length < 5 || /[^a-z]/.test(word)) return word
  return word.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|ed|es|s|e)$/, "")
}

/** The words that carry a title's meaning: lower case, stemmed, without tags and fillers, sorted, each once. */
export const titleWords = (title: string): ReadonlyArray<string> => {
  const text = title.slice(0, 2000).normalize("NFKC").toLowerCase().replace(/\[p\d\]/g, " ")
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = words.filter((word) => !fillers.has(word)).map((word) => stem(word.slice(0, longest)))
  return [...new Set(telling.length > 0 ? telling : words)].sort()
}

/** The name of a finding. A title without a single word falls back on the body's words. */
export const fingerprint = (finding: {
  readonly title: string
  readonly body: string
  readonly path: string | null
}): string => {
  const words = titleWords(finding.title)
  return fnv1a64(`${finding.path ?? ""}\n${(words.length > 0 ? words : titleWords(finding.body)).join(" ")}`)
}
