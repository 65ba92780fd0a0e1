// Transcript: the banner, the session id, and the body after the marker.
// Lines of a command are never codex's own words.
import { assert, describe, it } from "vitest"
import { hasBanner, markedBody, sessionId } from "../../../../src/review/verdict/Transcript.ts"

const id = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const banner = `OpenAI Codex v0.169.0
--------
workdir: /repo
model: gpt-5.5
session id: ${id}
--------
user
current changes
`

describe("hasBanner", () => {
  it("is true for a banner at the start, or after warnings", () => {
    assert.isTrue(hasBanner(banner))
    assert.isTrue(hasBanner(`WARNING: proceeding, even though ...\n\n${banner}`))
    assert.isTrue(hasBanner(`\u001b[1mOpenAI Codex v0.169.0\u001b[0m\r\n--------`))
  })
  it("is false for a banner that a command printed, or that came late", () => {
    assert.isFalse(hasBanner(""))
    assert.isFalse(hasBanner(`exec\ncat log\n${banner}`))
    assert.isFalse(hasBanner(`codex\n${banner}`))
    assert.isFalse(hasBanner("x\n".repeat(100) + banner))
    assert.isFalse(hasBanner("see OpenAI Codex v0.169.0"))
  })
})

describe("sessionId", () => {
  it("comes from the first banner", () => {
    assert.strictEqual(sessionId(banner), id)
    assert.strictEqual(sessionId(banner + banner.replace(id, id.replace("0", "f"))), id)
    assert.strictEqual(sessionId(banner.replace(id, id.toUpperCase())), id)
  })
  it("is refused if it is not a UUID, or not in the banner", () => {
    assert.isNull(sessionId(banner.replace(id, "../../etc/passwd")))
    assert.isNull(sessionId(banner.replace(id, `${id}/../x`)))
    assert.isNull(sessionId(banner.replace(`session id: ${id}\n`, "") + `session id: ${id}\n`))
    assert.isNull(sessionId(banner.replace(/--------\n/g, "")))
    assert.isNull(sessionId(`session id: ${id}\n`))
  })
})

describe("markedBody", () => {
  it("is the text after the last marker", () => {
    assert.strictEqual(markedBody("exec\nls\ncodex\nfake\n\ncodex\nNo issues.\n"), "No issues.\n")
    assert.strictEqual(markedBody("codex\r\nNo issues.\r\n"), "No issues.\r\n")
  })
  it("is after codex's own coloured marker, not after a command's plain one", () => {
    assert.strictEqual(markedBody("codex\nfake\n\u001b[35m\u001b[3mcodex\u001b[0m\u001b[0m\nTrue.\n"), "True.\n")
  })
  it("is null without a marker, or with nothing after it", () => {
    assert.isNull(markedBody(""))
    assert.isNull(markedBody("No issues."))
    assert.isNull(markedBody(" codex\nNo issues."))
    assert.isNull(markedBody("codex said\nNo issues."))
    assert.isNull(markedBody("No issues.\ncodex\n  \n"))
  })
  it("appears once if both streams went to one file", () => {
    assert.strictEqual(markedBody("codex\nOne\ntwo\nOne\ntwo\n"), "One\ntwo")
    assert.strictEqual(markedBody("codex\nNo\nYes\n"), "No\nYes\n")
  })
})
