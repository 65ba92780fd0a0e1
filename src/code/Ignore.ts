// Ignore: which paths git ignores, by its rules: `.gitignore` files, `info/exclude` and `core.excludesFile`.
// A port of git's rules (dir.c, wildmatch.c), because git cannot be asked: it waits for ever on a FIFO called
// `.gitignore`, and patterns such as `*a*a*a*b` keep it busy for minutes.
//
// Lines. A byte order mark at the start of a file is no text. Each line is a pattern, unless it is empty or begins with
// `#`. It ends before its line end (`\n` or `\r\n`), before a NUL byte, and before blanks at its end, of which one
// stays after a backslash. Then `!` in front makes it a negation, `/` at its end restricts it to directories. A
// pattern without any other `/` is compared with names, at any depth; any other with the path below the directory of
// its file, and one `/` in front means just that. Of all rules that match, the last one of the strongest file decides.
//
// Patterns. Up to its first `*`, `?`, `[` or backslash a pattern is plain, and the rest is matched as if it began
// there: so `a**/b` means `a`, then `**/b`, which is what git does. In the rest
//   `?`     is any byte but `/`
//   `[a-z]` is one of these bytes, never `/`; `[!a]` and `[^a]` any other; `[[:digit:]]` a class; `]` may come first
//   `*`     is any bytes without `/`
//   `**`    between slashes or at an end is any bytes at all, and with the slash after it nothing as well
//   `\x`    is the byte x
// A pattern with a set that does not end, an unknown class or a backslash at its end matches nothing.
//
// Case. With `core.ignoreCase`, ASCII letters match in either case. Not so a letter after a backslash, nor a single one
// in a set: an upper case one there matches nothing. Ranges and `[:upper:]` match both. This is git's behaviour too.
//
// Speed. Patterns without wildcards, and `*` with a plain end for names, are looked up in tables, so thousands of them
// cost no more than one. Most others fall out because the path lacks one of their bytes. For the rest, bytes are
// compared from left to right. Where they differ, the latest `*` takes one byte more; where that is a `/`, the latest
// `**` takes one directory more; earlier ones never need another try, because each has taken the fewest bytes that it
// could. So the time grows with pattern times path at most, however many stars there are.
//
// Names are bytes, held as strings of one character for each byte (latin1).

/** Bytes that one place of a pattern matches: 1 at each. */
type ByteSet = Uint8Array
/** A byte, a set of bytes, or one of the three wildcards below. */
type Token = number | ByteSet

/** Any bytes without `/`. */
const star = -1
/** Any bytes. */
const anything = -2
/** Nothing, or any bytes that end in `/`. */
const directories = -3

const slash = 0x2f

/** A pattern that no table holds. */
interface Wildcard {
  readonly position: number
  readonly isForDirectories: boolean
  readonly isForNames: boolean
  /** The bits of the bytes that a text cannot lack. */
  readonly bits: number
  readonly prefix: string
  readonly tokens: ReadonlyArray<Token>
}

/** The rules of one file. Later positions are stronger. */
export interface IgnoreRules {
  readonly base: string
  /** Whether the rule at a position is a negation. */
  readonly negations: ReadonlyArray<boolean>
  /** Positions of plain names, and of plain paths with a `/` in front; those for directories have a `/` at the end. */
  readonly plain: ReadonlyMap<string, number>
  /** Positions of the ends of names; those for directories have a `/` at the end. */
  readonly ends: ReadonlyMap<string, number>
  readonly endLengths: ReadonlySet<number>
  /** The strongest first. */
  readonly wildcards: ReadonlyArray<Wildcard>
}

/** A bit for each byte of a text, by the last five bits of the byte. */
const bitsOf = (text: string): number => {
  let bits = 0
  for (let at = 0; at < text.length; at++) bits |= 1 << text.charCodeAt(at)
  return bits
}

const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Classes as ranges: first and last character of each. `space` as git defines it. */
const classes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["alnum", ["09", "AZ", "az"]],
  ["alpha", ["AZ", "az"]],
  ["blank", ["  ", "\t\t"]],
  ["cntrl", ["\0\x1f", "\x7f\x7f"]],
  ["digit", ["09"]],
  ["graph", ["!~"]],
  ["lower", ["az"]],
  ["print", [" ~"]],
  ["punct", ["!/", ":@", "[`", "{~"]],
  ["space", ["\t\n", "\r\r", "  "]],
  ["upper", ["AZ"]],
  ["xdigit", ["09", "AF", "af"]]
])

const setRange = (set: ByteSet, range: string, fold: boolean): void => {
  for (let code = range.charCodeAt(0); code <= range.charCodeAt(1); code++) {
    set[code] = 1
    if (fold && code >= 0x41 && code <= 0x5a) set[code + 0x20] = 1
  }
}

/** The bytes of a set that opens at a place of a pattern, and the place where it closes. */
const byteSet = (pattern: string, open: number, fold: boolean): { set: ByteSet; close: number } | undefined => {
  const set = new Uint8Array(256)
  let at = open + 1
  const isNegated = pattern[at] === "!" || pattern[at] === "^"
  if (isNegated) at++
  let rangeStart = ""
  // Where the class closes, looked for once.
  let end = -1
  do {
    const next = pattern[at + 1]
    if (pattern[at] === "-" && rangeStart !== "" && next !== undefined && next !== "]") {
      at += next === "\\" ? 2 : 1
      if (at >= pattern.length) return undefined
      setRange(set, rangeStart + pattern[at], fold)
      rangeStart = ""
    } else {
      const isClass = pattern[at] === "[" && next === ":"
      if (isClass && end < at + 2) end = pattern.indexOf("]", at + 2)
      const close = isClass ? end : at
      if (close < 0) return undefined
      if (close > at + 2 && pattern[close - 1] === ":") {
        const ranges = classes.get(pattern.slice(at + 2, close - 1))
        if (ranges === undefined) return undefined
        for (const range of ranges) setRange(set, range, fold)
        at = close
        rangeStart = ""
      } else {
        if (pattern[at] === "\\") at++
        if (at >= pattern.length) return undefined
        set[pattern.charCodeAt(at)] = 1
        rangeStart = pattern.charAt(at)
      }
    }
    at++
  } while (pattern[at] !== "]")
  if (isNegated) { for (let code = 0; code < set.length; code++) set[code] = set[code] === 1 ? 0 : 1 }
  set[slash] = 0
  return { set, close: at }
}

const anyByte = new Uint8Array(256).fill(1)
anyByte[slash] = 0

/** A pattern as tokens; undefined if it can match nothing. */
const tokensOf = (pattern: string, fold: boolean): ReadonlyArray<Token> | undefined => {
  const tokens: Array<Token> = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at)
    if (char === "*") {
      const before = pattern[at - 1] ?? "/"
      const first = at
      while (pattern[at + 1] === "*") at++
      const after = pattern.slice(at + 1, at + 3)
      if (at === first || before !== "/") tokens.push(star)
      else if (after.startsWith("/")) {
        tokens.push(directories)
        at++
      } else tokens.push(after === "" || after === "\\/" ? anything : star)
    } else if (char === "?") tokens.push(anyByte)
    else if (char === "[") {
      const found = byteSet(pattern, at, fold)
      if (found === undefined) return undefined
      tokens.push(found.set)
      at = found.close
    } else if (char === "\\") {
      if (++at === pattern.length) return undefined
      tokens.push(pattern.charCodeAt(at))
    } else tokens.push((fold ? lowerCase(char) : char).charCodeAt(0))
  }
  return tokens
}

/** Whether tokens match all of a text from a place on. */
const isMatch = (tokens: ReadonlyArray<Token>, text: string, from: number): boolean => {
  let [at, place] = [0, from]
  // The latest `*` and the latest `**`: the token after it, and the place up to which it has taken bytes.
  let [shallow, shallowEnd, deep, deepEnd] = [-1, 0, -1, 0]
  while (at < tokens.length || place < text.length) {
    const token = tokens[at]
    if (token === star) {
      shallow = ++at
      shallowEnd = place
    } else if (token === anything || token === directories) {
      deep = ++at
      deepEnd = place
      shallow = -1
    } else {
      const code = text.charCodeAt(place)
      if (token === code || typeof token === "object" && token[code] === 1) {
        at++
        place++
      } else if (shallow >= 0 && shallowEnd < text.length && text.charCodeAt(shallowEnd) !== slash) {
        place = ++shallowEnd
        at = shallow
      } else {
        if (deep < 0) return false
        const last = tokens[deep - 1] === directories ? text.indexOf("/", deepEnd) : deepEnd
        if (last < 0 || last >= text.length) return false
        place = deepEnd = last + 1
        at = deep
      }
    }
  }
  return true
}

const withoutBlanks = (line: string): string => {
  let end = line.length
  while (line[end - 1] === " ") end--
  let backslashes = 0
  while (line[end - 1 - backslashes] === "\\") backslashes++
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

const special = /[*?[\\]/

/** Reads the rules of a file that is in a directory below the worktree: `""` for the root, and for files outside. */
export const parseRules = (content: string, base: string, fold: boolean): IgnoreRules => {
  const negations: Array<boolean> = []
  const plain = new Map<string, number>()
  const ends = new Map<string, number>()
  const wildcards: Array<Wildcard> = []
  for (const line of content.replace(/^\xef\xbb\xbf/, "").split("\n")) {
    if (line.startsWith("#")) continue
    const [whole = ""] = line.replace(/\r$/, "").split("\0", 1)
    const text = withoutBlanks(whole)
    const isNegation = text.startsWith("!")
    const isForDirectories = text.endsWith("/")
    const named = text.slice(isNegation ? 1 : 0, isForDirectories ? -1 : undefined)
    // `**/x` is `x` at any depth, as a pattern without `/` is.
    const anywhere = named.replace(/^\/?(?:\*\*+\/)+(?=[^/]*$)/, "")
    const isForNames = !anywhere.includes("/")
    const pattern = isForNames || !named.startsWith("/") ? anywhere : named.slice(1)
    if (pattern === "") continue
    const position = negations.push(isNegation) - 1
    const toKey = (key: string) => (fold ? lowerCase(key) : key) + (isForDirectories ? "/" : "")
    const length = pattern.search(special)
    if (length < 0) plain.set(toKey(isForNames ? pattern : `/${pattern}`), position)
    else if (isForNames && pattern.startsWith("*") && !special.test(pattern.slice(1))) {
      ends.set(toKey(pattern.slice(1)), position)
    } else {
      const tokens = tokensOf(pattern.slice(length), fold)
      const prefix = fold ? lowerCase(pattern.slice(0, length)) : pattern.slice(0, length)
      if (tokens === undefined) continue
      const bits = tokens.reduce<number>(
        (bits, token) => typeof token === "number" && token >= 0 ? bits | 1 << token : bits,
        bitsOf(prefix)
      )
      wildcards.push({ position, isForDirectories, isForNames, bits, prefix, tokens })
    }
  }
  const endLengths = new Set([...ends.keys()].map((key) => key.endsWith("/") ? key.length - 1 : key.length))
  return { base, negations, plain, ends, endLengths, wildcards: wildcards.reverse() }
}

/** The text of an ignore file (latin1, null for no file): as it was found, and without the edits of agents. */
export interface CarriedRules {
  readonly followed: string | null
  readonly found: string | null
}

/**
 * The rules to follow where an ignore file is `found` now: those that were followed before, with what a person changed
 * since. `byAgents`: only agents have worked since.
 */
export const carriedRules = (
  before: CarriedRules = { followed: null, found: null },
  found: string | null,
  byAgents: boolean
): CarriedRules => {
  if (byAgents || found === before.found) return { followed: before.followed, found }
  if (before.followed === before.found) return { followed: found, found }
  const [kept, then, now] = [before.followed, before.found, found].map((text) => (text ?? "").split("\n"))
  const [had, has] = [new Set(then), new Set(now)]
  // A person's lines are added, and what a person removed goes.
  const stays = (kept ?? []).filter((line) => !had.has(line) || has.has(line))
  return { followed: [...stays, ...(now ?? []).filter((line) => !had.has(line))].join("\n"), found }
}

/** What rules are compared with. */
interface Subject {
  readonly path: string
  readonly pathBits: number
  readonly name: string
  readonly nameBits: number
  readonly isDirectory: boolean
}

/** The position of the strongest rule of a file that matches, or -1. */
const lastMatch = (rules: IgnoreRules, { isDirectory, name, nameBits, path, pathBits }: Subject): number => {
  const { base, endLengths, ends, plain, wildcards } = rules
  const below = base === "" ? path : path.slice(base.length + 1)
  let last = -1
  const look = (table: ReadonlyMap<string, number>, key: string): void => {
    last = Math.max(last, table.get(key) ?? -1)
    if (isDirectory) last = Math.max(last, table.get(`${key}/`) ?? -1)
  }
  if (plain.size > 0) {
    look(plain, name)
    look(plain, `/${below}`)
  }
  for (const length of endLengths) if (length <= name.length) look(ends, name.slice(name.length - length))
  for (const rule of wildcards) {
    if (rule.position < last) break
    if ((rule.bits & ~(rule.isForNames ? nameBits : pathBits)) !== 0 || rule.isForDirectories && !isDirectory) continue
    const text = rule.isForNames ? name : below
    if (text.startsWith(rule.prefix) && isMatch(rule.tokens, text, rule.prefix.length)) return rule.position
  }
  return last
}

/**
 * Whether rules say that git ignores a path of the worktree. The weakest rules come first: `core.excludesFile`,
 * `info/exclude`, then the `.gitignore` files from the root down. What is below an ignored directory is ignored too. A
 * path in the index is never ignored: the caller checks that.
 */
export const isIgnored = (
  stack: ReadonlyArray<IgnoreRules>,
  path: string,
  name: string,
  isDirectory: boolean,
  fold: boolean
): boolean => {
  const [ownPath, ownName] = fold ? [lowerCase(path), lowerCase(name)] : [path, name]
  const subject = { path: ownPath, pathBits: bitsOf(ownPath), name: ownName, nameBits: bitsOf(ownName), isDirectory }
  for (let at = stack.length - 1; at >= 0; at--) {
    const rules = stack[at]
    const position = rules === undefined ? -1 : lastMatch(rules, subject)
    if (position >= 0) return rules?.negations[position] === false
  }
  return false
}
