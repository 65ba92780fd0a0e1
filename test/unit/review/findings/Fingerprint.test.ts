// Fingerprint: the name of a finding, which stays while its words and its file do.
import { assert, describe, it } from "vitest"
import {
  findingOf,
  fingerprint,
  fnv1a64,
  titleWords,
  type RawFinding
} from "../../../../src/review/findings/Finding.ts"

const written = (title: string, path: string, start: number): RawFinding => ({
  title,
  body: "Some words.",
  priority: null,
  place: { path, lines: { start, end: start + 2 } }
})

describe("fingerprint", () => {
  const of = (title: string, path: string | null = "a.ts") => fingerprint({ title, body: "", path })

  it("does not change with tags, case, punctuation, order or small words", () => {
    assert.strictEqual(of("[P1] Guard against the null user!"), of("guard: user null (against)"))
  })

  it("does not change with the forms of words and characters", () => {
    assert.strictEqual(of("Handles closing sockets"), of("Handled: close socket"))
    assert.strictEqual(of("ｈａｎｄｌｅ the ﬁle"), of("Handle the file"))
  })

  it("does not change with lines or bodies", () => {
    const one = findingOf(written("Guard", "/r/a.ts", 10), 1, "/r")
    const two = findingOf({ ...written("Guard", "a.ts", 900), body: "Said otherwise." }, 2, "/r")
    assert.strictEqual(one.fingerprint, two.fingerprint)
  })

  it("changes with the path and with the words", () => {
    assert.notStrictEqual(of("Guard against null"), of("Guard against null", "b.ts"))
    assert.notStrictEqual(of("Guard against null"), of("Avoid the quadratic loop"))
    assert.notStrictEqual(of("Guard against null"), of("Guard against null", null))
  })

  it("tells untitled findings apart by their bodies", () => {
    const untitled = (body: string) => fingerprint({ title: "!!", body, path: "a.ts" })
    assert.notStrictEqual(untitled("leaks memory"), untitled("skips rows"))
  })

  it("keeps titles of small words apart", () => assert.notDeepEqual(titleWords("to be"), titleWords("is it")))
  it("is FNV-1a over UTF-16 code units", () => {
    assert.strictEqual(fnv1a64(""), "cbf29ce484222325")
    assert.match(fnv1a64("日本"), /^[0-9a-f]{16}$/)
    assert.notStrictEqual(fnv1a64("日"), fnv1a64(String.fromCharCode("日".charCodeAt(0) & 0xff)))
  })
})
