// Session.live: codex's session files, read within bounds and without trust in any line, and the kept copy of a review.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { createHash } from "node:crypto"
import { assert, beforeEach, describe, it } from "vitest"
import {
  findSession,
  keepReview,
  makeRecordsReview,
  notKept,
  readKept,
  readSession
} from "../../../src/review/Session.live.ts"
import { openOnDisk } from "../../../src/platform/Files.ts"
import { eachInDirectory } from "../../support/directories.ts"

const home = eachInDirectory()
let day = ""
beforeEach(() => {
  day = home()
})

const id = "01a1f82b-a11c-7bc3-ae02-8032555061a0"
const session = (day: string, name = `rollout-2026-11-20T10-00-00-${id}.jsonl`): string => {
  mkdirSync(home("sessions", day), { recursive: true })
  const path = home("sessions", day, name)
  writeFileSync(path, "")
  return path
}

describe("the session of an id", () => {
  it("is found, on the newest day first", () => {
    assert.isNull(findSession(home(), id))
    const old = session("2025/12/31")
    assert.strictEqual(findSession(home(), id), old)
    const newer = session("2026/01/02")
    session("2026/01/01")
    assert.strictEqual(findSession(home(), id), newer)
  })

  it("is not found for another id, or in another kind of file", () => {
    session("2026/11/20", `rollout-x-${id.slice(0, -1)}1.jsonl`)
    session("2026/11/20", `rollout-x-${id}.jsonl.bak`)
    session("2026/11/20", `other-${id}.jsonl`)
    session("notes/11/20")
    assert.isNull(findSession(home(), id))
  })

  it("is searched in at most two months of days", () => {
    const old = session("2025/01/01")
    for (let day = 1; day <= 31; day++) {
      for (const month of ["02", "03"]) session(`2025/${month}/${String(day).padStart(2, "0")}`, "rollout-other.jsonl")
    }
    assert.isNull(findSession(home(), id))
    rmSync(home("sessions", "2025", "03", "31"), { recursive: true })
    assert.strictEqual(findSession(home(), id), old)
  })
})

const exited = (output: unknown): string =>
  JSON.stringify({ type: "event_msg", payload: { item: { type: "ExitedReviewMode", review_output: output } } })

describe("whether a session has its review", () => {
  it("is read again only after the file changed, and only once it rested", () => {
    const records = makeRecordsReview()
    const at = (seconds: number, text: string) => {
      const path = session("2026/11/20")
      writeFileSync(path, text)
      utimesSync(path, seconds, seconds)
      return path
    }
    const now = 1_000_000
    assert.isFalse(records(home(), id, now, 1000))
    const text = exited({ findings: [] })
    const path = at(100, text)
    assert.isFalse(records(home(), id, 100_500, 1000))
    assert.isTrue(records(home(), id, now, 1000))
    // A change with the same size and time is not seen.
    const { ino } = statSync(path)
    at(100, " ".repeat(text.length))
    assert.strictEqual(statSync(path).ino, ino)
    assert.isTrue(records(home(), id, now, 1000))
    at(200, " ".repeat(text.length))
    assert.isFalse(records(home(), id, now, 1000))
    at(300, `${exited(null)}\n${text}`)
    assert.isTrue(records(home(), id, now, 1000))
    rmSync(path)
    assert.isFalse(records(home(), id, now, 1000))
  })
})

describe("the review of a session", () => {
  const of = (...lines: ReadonlyArray<string>): unknown => {
    const path = session("2026/11/20")
    writeFileSync(path, lines.join("\n"))
    return readSession(path, id).output
  }

  it("is the last complete one that codex recorded", () => {
    assert.deepStrictEqual(of(exited({ a: 1 }), exited({ b: 2 }), "{}"), { b: 2 })
    assert.deepStrictEqual(of(exited({ a: 1 }), `${exited({ b: 2 }).slice(0, -1)}`), { a: 1 })
  })

  it("can be an event, as in codex up to 0.157", () => {
    const event = (output: unknown) =>
      JSON.stringify({ type: "event_msg", payload: { type: "exited_review_mode", review_output: output } })
    assert.deepStrictEqual(of(event({ a: 1 })), { a: 1 })
    assert.deepStrictEqual(of(exited({ a: 1 }), event({ b: 2 })), { b: 2 })
    assert.isNull(of(event(null)))
  })

  it("is null if codex recorded null or no output, and undefined if it recorded no end", () => {
    assert.isNull(of(exited({ a: 1 }), exited(null)))
    assert.isNull(of(exited(undefined)))
    assert.isUndefined(of(""))
    assert.isUndefined(of("{}", "no json", JSON.stringify({ payload: { item: { type: "EnteredReviewMode" } } })))
  })

  it("is not found in a text that quotes such a record", () => {
    const quoted = JSON.stringify({ type: "event_msg", payload: { item: { type: "text", text: exited({ a: 1 }) } } })
    assert.isUndefined(of(quoted, `"ExitedReviewMode"`, JSON.stringify({ type: "ExitedReviewMode" })))
    assert.isUndefined(of(JSON.stringify({ __proto__: null, payload: '"ExitedReviewMode"' })))
  })

  it("is found across the borders of blocks", () => {
    const border = 256 * 1024
    for (const shift of [-1, 0, 1, 40]) {
      const noise = JSON.stringify("x".repeat(border - 3 + shift))
      assert.deepStrictEqual(of(noise, exited({ shift }), noise), { shift })
    }
  })

  it("is not read from a line that is too long, but from the lines after it", () => {
    const path = session("2026/11/20")
    writeFileSync(path, `${exited({ first: true })}\n`)
    appendFileSync(path, `${exited({ huge: "x".repeat(17 * 2 ** 20) })}\n`)
    assert.deepStrictEqual(readSession(path, id).output, { first: true })
    appendFileSync(path, exited({ last: true }))
    assert.deepStrictEqual(readSession(path, id).output, { last: true })
  })
})

const uuid = (time: number, rest = 0): string =>
  `01a20461-${String(time).padStart(4, "0")}-7001-8728-${String(rest).padStart(12, "0")}`
const parent = uuid(50)
const file = (id: string): string => join(day, `rollout-2026-11-22T17-50-20-${id}.jsonl`)
const meta = (of: string): string => JSON.stringify({ type: "session_meta", payload: { parent_thread_id: of } })
const fields = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 2,
  cache_write_input_tokens: 7,
  output_tokens: 3,
  reasoning_output_tokens: 1,
  total_tokens: input + 3
})
const record = (input: number): string =>
  JSON.stringify({
    type: "token_usage_record",
    payload: { usage: fields(5), turn_token_usage: fields(6), thread_token_usage: fields(input) }
  })
const count = (input: number): string =>
  JSON.stringify({
    type: "event_msg",
    payload: { type: "token_count", info: { last_token_usage: fields(5), total_token_usage: fields(input) } }
  })
const leave = (id: string, ...lines: ReadonlyArray<string>): void =>
  writeFileSync(file(id), lines.map((line) => `${line}\n`).join(""))
const used = () => {
  if (!existsSync(file(parent))) leave(parent, meta(""))
  return readSession(file(parent), parent).usage
}
const tokens = (input: number) => ({ input, cached: 2, output: 3, reasoning: 1 })

describe("the tokens of a review", () => {
  it.each([["records", record], ["counts", count]])(
    "are the last total of %s, not a sum or the last request",
    (_, line) => {
      leave(uuid(51), meta(parent), line(100), "{}", line(250), JSON.stringify({ type: "event_msg", payload: {} }))
      assert.deepStrictEqual(used(), tokens(250))
    }
  )

  it("come from the reviewer that this review started, among others of its time", () => {
    leave(uuid(40), meta(parent), record(1))
    leave(parent, meta(""), record(2))
    leave(uuid(51), meta(uuid(49)), record(3))
    leave(uuid(52), JSON.stringify({ payload: { session_id: parent } }), record(4))
    leave(uuid(53), meta(parent), record(5))
    leave(uuid(54), meta(uuid(52)), record(6))
    assert.deepStrictEqual(used(), tokens(5))
  })

  it("are searched in a limited number of files after the review", () => {
    for (let i = 0; i < 64; i++) leave(uuid(60, i), meta(uuid(49)))
    leave(uuid(61), meta(parent), record(9))
    assert.isNull(used())
    rmSync(file(uuid(60, 63)))
    assert.deepStrictEqual(used(), tokens(9))
  })

  it("are found at the end of a long session, after invalid lines", () => {
    leave(uuid(51), meta(parent), record(1), "x".repeat(3_000_000), record(8), count(9), "_token_usage", "no json")
    assert.deepStrictEqual(used(), tokens(9))
  })

  it("are null if nothing was counted, or only zeros", () => {
    leave(uuid(51), meta(parent))
    assert.isNull(used())
    leave(uuid(51), meta(parent), JSON.stringify({ payload: { type: "token_count", info: null } }), "")
    assert.isNull(used())
    leave(uuid(51), meta(parent), JSON.stringify({ payload: { thread_token_usage: { input_tokens: 0 } } }))
    assert.isNull(used())
  })

  it("are null if the files are not as expected", () => {
    assert.isNull(used())
    leave(uuid(51), `{"payload":{"parent_thread_id":"${parent}"`, record(1))
    assert.isNull(used())
    leave(uuid(51), `"${parent}"`, record(1))
    assert.isNull(used())
    writeFileSync(file(uuid(51)), `${meta(parent)}${" ".repeat(70_000)}\n${record(1)}\n`)
    assert.isNull(used())
    writeFileSync(join(day, `rollout-x-${uuid(51)}.jsonl.bak`), `${meta(parent)}\n${record(1)}\n`)
    rmSync(file(uuid(51)))
    assert.isNull(used())
  })

  it("are never negative or fractional, whatever a session says", () => {
    const payload = { thread_token_usage: { input_tokens: -5, cached_input_tokens: 0.5, output_tokens: "9e9" } }
    leave(uuid(51), meta(parent), record(4), JSON.stringify({ payload }))
    assert.deepStrictEqual(used(), tokens(4))
  })
})

describe("the commands of a review", () => {
  const line = (payload: object): string => JSON.stringify({ type: "event_msg", payload })
  const turn = line({ type: "task_started", turn_id: "01a2192f-6bef-7961-90ab-39f71fc5eaf2" })
  const call = (status: number): ReadonlyArray<string> => [
    line({ type: "function_call", name: "exec_command", arguments: "git diff", call_id: "call_1" }),
    line({ type: "function_call_output", call_id: "call_1", output: `Process exited with code ${status}\nOutput:\n` })
  ]
  const ran = () => readSession(file(parent), parent).ran

  it("are in the file of its reviewer, which names it as its parent", () => {
    leave(parent, meta(""))
    assert.isNull(ran())
    leave(uuid(51), meta(parent), ...call(0), line({ type: "task_complete" }))
    assert.deepInclude(ran(), { succeeded: 1, failed: 0, whole: true })
  })

  it("can be in the file that shares its turn, as before codex 0.138", () => {
    leave(parent, JSON.stringify({ type: "session_meta", payload: { id: parent } }), turn)
    leave(
      uuid(51),
      JSON.stringify({ type: "session_meta", payload: { id: uuid(51) } }),
      line({ type: "task_started", turn_id: "other" })
    )
    assert.isNull(ran())
    leave(uuid(52), JSON.stringify({ type: "session_meta", payload: { id: uuid(52) } }), turn, ...call(1))
    assert.deepInclude(ran(), { succeeded: 0, failed: 1, whole: false })
  })

  it("are incomplete if a line is too long to be read", () => {
    leave(parent, meta(""))
    leave(uuid(51), meta(parent), JSON.stringify("x".repeat(17 * 2 ** 20)), line({ type: "task_complete" }))
    assert.deepInclude(ran(), { succeeded: 0, failed: 0, whole: false })
  })
})

describe("kept reviews", () => {
  const ran = {
    succeeded: 1,
    failed: 0,
    unknown: 0,
    whole: true,
    calls: [{ command: "git diff", outcome: "succeeded" }]
  } as const
  const review = { findings: [], overall_explanation: "Für immer." }
  const dir = eachInDirectory()
  const path = () => dir("low-1.review.json")

  describe("a kept review", () => {
    it("is one line of JSON, private to the user, with a digest", () => {
      const digest = keepReview(path(), review, ran)
      const bytes = readFileSync(path())
      assert.strictEqual(bytes.toString(), `${JSON.stringify({ review_output: review, ran })}\n`)
      assert.strictEqual(statSync(path()).mode & 0o777, 0o600)
      const hex = createHash("sha256").update(bytes).digest("hex")
      assert.deepStrictEqual(digest, { algorithm: "sha256", hex, bytes: bytes.length })
      assert.deepStrictEqual(openOnDisk(path(), readKept), {
        session: { _tag: "Found", output: review },
        ran: { ...ran, calls: [] },
        digest
      })
    })

    it("of version 0.1.0 is only the review", () => {
      writeFileSync(path(), `${JSON.stringify(review)}\n`)
      assert.deepInclude(openOnDisk(path(), readKept), { session: { _tag: "Found", output: review }, ran: null })
    })

    it("does not change when it is kept again, and leaves nothing beside it", () => {
      assert.deepStrictEqual(keepReview(path(), review, ran), keepReview(path(), review, ran))
      assert.deepStrictEqual(readdirSync(dir()), ["low-1.review.json"])
    })
  })

  describe("a copy", () => {
    it("that is missing is null", () => assert.deepStrictEqual(openOnDisk(path(), readKept), notKept))

    it("that is not JSON any more is absent, and has the digest of its bytes", () => {
      const { digest } = { digest: keepReview(path(), review, ran) }
      writeFileSync(path(), "{")
      const read = openOnDisk(path(), readKept)
      assert.deepStrictEqual(read.session, { _tag: "Absent" })
      assert.strictEqual(read.digest?.bytes, 1)
      assert.notDeepEqual(read.digest, digest)
    })

    it("that cannot be read is an error", () => {
      mkdirSync(path())
      assert.throws(() => openOnDisk(path(), readKept), /EISDIR/)
    })
  })
})
