// Agents that are the real Claude Code: what they do and say, how they end, and which variables they have.
// The model is a stand-in; the streams, the statuses and the permissions are Claude Code's own.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "vitest"
import { type ModelRequest, type Policy, type Reply, startStandIn } from "../../fixtures/stand-in-claude/server.mjs"
import { defaultLimits } from "../../src/agent/Task.ts"
import { type Hostile, makeHostile } from "./hostile.ts"
import { type Asked, type Bench, withBench } from "./support.ts"

const says = (text: string): Policy => () => ({ _tag: "Message", text })
const uses = (name: string, input: Readonly<Record<string, unknown>>): Policy => ({ results }) =>
  results[0] === undefined ? { _tag: "Tool", name, input } : { _tag: "Message", text: results[0] }
const runs = (command: string) => uses("Bash", { command, description: "does it" })
const refuses = (status: number, type: string, message: string): Policy => () => ({
  _tag: "Refusal",
  status,
  type,
  message
})
const tags = ({ updates }: Asked) =>
  updates.flatMap((one) =>
    one._tag === "Heard" ? [one.event._tag + ("item" in one.event ? ` ${one.event.item._tag}` : "")] : []
  )

describe("an agent that is Claude Code", () => {
  it("reads its prompt, answers, and reports its thread and its tokens", () =>
    withBench(says("All done."), async ({ ask, requests }) => {
      const asked = await ask({ name: "success", prompt: "Count the files, please." })
      const { ended } = asked
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "All done." })
      assert.match(ended.threadId ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(ended.usage, { input: 18, cached: 5, output: 7, reasoning: 0 })
      assert.deepStrictEqual([ended.turn, (ended.contextWindow ?? 0) > 0], ["completed", true])
      assert.include(requests[0]?.text, "Count the files, please.")
      assert.include(tags(asked), "ItemCompleted Message")
    }))

  it("edits files and runs commands in its worktree", async () => {
    await withBench(({ results }): Reply =>
      results.length === 0
        ? { _tag: "Tool", name: "Write", input: { file_path: "made.txt", content: "made\n" } }
        : { _tag: "Message", text: "Written." }, async ({ ask, repo }) => {
      const asked = await ask({ name: "write" })
      assert.strictEqual(readFileSync(join(repo, "made.txt"), "utf8"), "made\n")
      assert.includeMembers([...tags(asked)], ["ItemStarted FileChanges", "ItemCompleted FileChanges"])
    })
    await withBench(runs("echo ran > ran.txt; echo said; exit 3"), async ({ ask, repo }) => {
      const asked = await ask({ name: "command" })
      assert.strictEqual(readFileSync(join(repo, "ran.txt"), "utf8"), "ran\n")
      assert.includeMembers([...tags(asked)], ["ItemStarted Command", "ItemCompleted Command"])
      assert.strictEqual(asked.ended.message, "Exit code 3\nsaid")
    })
  })

  it("that may only read reads its worktree and the run's files, and has nothing that writes, whatever settings allow", async () => {
    const writes = [
      runs("echo x > made.txt"),
      runs("git status"),
      uses("Write", { file_path: "made.txt", content: "x" }),
      uses("EnterWorktree", { name: "made" }),
      uses("CronCreate", { cron: "0 9 * * *", prompt: "x", durable: true, recurring: true }),
      uses("SendMessage", { to: "other", message: "x", summary: "x" })
    ]
    for (const policy of writes) {
      await withBench(policy, async ({ ask, repo }) => {
        const settings = { permissions: { defaultMode: "acceptEdits", allow: ["Bash", "Write", "SendMessage"] } }
        for (const place of [repo, join(dirname(repo), "home")]) {
          mkdirSync(join(place, ".claude"), { recursive: true })
          writeFileSync(join(place, ".claude/settings.json"), JSON.stringify(settings))
        }
        const { ended } = await ask({ name: "refused", sandbox: "read-only" })
        assert.match(ended.message ?? "", /No such tool available/)
        assert.deepStrictEqual([existsSync(join(repo, "made.txt")), ended.ending._tag], [false, "Done"])
        assert.deepStrictEqual(readdirSync(join(repo, ".claude")), ["settings.json"])
      })
    }
    let place = ""
    await withBench((asked) => uses("Read", { file_path: place })(asked), async ({ ask, run }) => {
      place = join(run, "findings.md")
      writeFileSync(place, "FINDINGS\n")
      const asked = await ask({ sandbox: "read-only" })
      assert.include(asked.ended.message, "FINDINGS")
      assert.strictEqual(asked.ended.read, "tools")
    })
  })

  it("that may only read obeys nothing that the agent of the work wrote", () =>
    withBench(says("Read."), async ({ ask, repo, requests }) => {
      writeFileSync(join(repo, "CLAUDE.md"), "PLANTED-CLAUDE @guide.md\n")
      writeFileSync(join(repo, "guide.md"), "PLANTED-IMPORT\n")
      const memory = join(dirname(repo), "home/.claude/projects", repo.replace(/[/.]/g, "-"), "memory")
      mkdirSync(memory, { recursive: true })
      writeFileSync(join(memory, "MEMORY.md"), "PLANTED-MEMORY\n")
      await ask({ sandbox: "read-only" })
      assert.deepStrictEqual(planted(requests), [])
      await ask({ attempt: 2 })
      assert.deepStrictEqual(planted(requests), ["PLANTED-CLAUDE", "PLANTED-IMPORT"])
    }))

  it("answers in a form", () => {
    const answer = {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false
    }
    return withBench(({ results }): Reply =>
      results.length === 0
        ? { _tag: "Tool", name: "StructuredOutput", input: { ok: true } }
        : { _tag: "Message", text: "Given." }, async ({ ask }) => {
      assert.strictEqual((await ask({ name: "schema", answer })).ended.message, '{"ok":true}')
    })
  })

  it("continues a thread", () =>
    withBench(says("Here."), async ({ ask, requests }) => {
      const thread = (await ask()).ended.threadId ?? assert.fail("no thread")
      const { ended } = await ask({ attempt: 2, name: "resumed", thread, prompt: "continue" })
      assert.deepStrictEqual([ended.threadId, ended.ending._tag], [thread, "Done"])
      assert.match(requests[1]?.text ?? "", /Please do it\.[^]*continue/)
    }))

  it("whose command goes on in the background goes on with its end, and its last answer counts", () =>
    withBench(({ messages, results }): Reply => {
      const command = "sleep 14; echo built >built.txt"
      const input = { command, description: "builds", run_in_background: true }
      if (results.length === 0) return { _tag: "Tool", name: "Bash", input }
      const text = /task-notification/.test(messages.join("\n")) ? "It is built." : "I wait for it."
      return { _tag: "Message", text }
    }, async ({ ask, repo }) => {
      const { ended } = await ask({ name: "background", limits: { ...defaultLimits, idle: 3000 } })
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "It is built." })
      assert.isTrue(existsSync(join(repo, "built.txt")))
    }))

  it("that is to continue a thread that no one knows fails", () =>
    withBench(says("Never."), async ({ ask, requests }) => {
      const { ended } = await ask({ thread: "01a1f823-cc88-7932-b599-cafe5a469e32" })
      assert.strictEqual(ended.ending._tag, "Crashed")
      assert.lengthOf(requests, 0)
    }))

  it("whose service fails for a moment tries again, and that is no failure", () =>
    withBench(
      ({ index }) =>
        index === 0
          ? { _tag: "Refusal", status: 529, type: "overloaded_error", message: "Overloaded" }
          : { _tag: "Message", text: "At last." },
      async ({ ask }) => {
        const asked = await ask({ name: "reconnected" })
        assert.include(tags(asked), "Error")
        assert.deepStrictEqual(asked.ended.ending, { _tag: "Done", message: "At last." })
      },
      { CLAUDE_CODE_MAX_RETRIES: "2" }
    ))

  it("has its own key, and no other secret", () =>
    withBench(runs("env"), async ({ ask, requests }) => {
      const { message } = (await ask()).ended
      assert.include(message, "OODA_IN_AGENT=1")
      assert.notInclude(message, "hunter2")
      assert.notInclude(message, "CLAUDE_CODE_SESSION_ID=outer")
      assert.strictEqual(requests[0]?.key, "placeholder")
    }, { GITHUB_TOKEN: "hunter2", CLAUDE_CODE_SESSION_ID: "outer" }))
})

// A turn with each tool that an agent needs, then the end.
const works = (nested: () => string): Policy => ({ results }) => {
  const file_path = nested()
  const turns: ReadonlyArray<Reply> = [
    { _tag: "Tool", name: "Bash", input: { command: "echo ran > ran.txt", description: "runs" } },
    { _tag: "Tool", name: "Read", input: { file_path } },
    { _tag: "Tool", name: "Edit", input: { file_path, old_string: "before", new_string: "after" } },
    { _tag: "Tool", name: "Write", input: { file_path: "made.txt", content: "made\n" } }
  ]
  return turns[results.length] ?? { _tag: "Message", text: "All done." }
}

const planted = (requests: ReadonlyArray<ModelRequest>): ReadonlyArray<string> => [
  ...new Set(requests.flatMap(({ text }) => text.match(/PLANTED-[A-Z]+/g) ?? []))
]

/** A bench with a hostile repository, and the requests that reached the address in its settings. */
const withHostile = async (
  use: (bench: Bench & Hostile & { readonly diverted: ReadonlyArray<ModelRequest> }) => Promise<void>,
  diverts = true
) => {
  const foreign = await startStandIn(says("Diverted."))
  let nested = ""
  try {
    await withBench(works(() => nested), (bench) => {
      const hostile = makeHostile(bench.repo, diverts ? foreign.url : null)
      nested = hostile.nested
      return use({ ...bench, ...hostile, diverted: foreign.requests })
    })
  } finally {
    await foreign.close()
  }
}

describe("code that may be a stranger's", () => {
  it("neither configures nor instructs the agent, which keeps its tools, also on a continued thread", () =>
    withHostile(async ({ ask, diverted, nested, repo, requests, secret, traces }) => {
      const { ended } = await ask({ untrusted: true, prompt: `Fix what is said of @${secret} and @nested/code.txt.` })
      assert.deepStrictEqual(ended.ending, { _tag: "Done", message: "All done." })
      assert.deepStrictEqual(
        ["ran.txt", "made.txt", nested].map((name) => readFileSync(resolve(repo, name), "utf8")),
        ["ran\n", "made\n", "after\n"]
      )
      const thread = ended.threadId ?? assert.fail("no thread")
      const again = await ask({ untrusted: true, attempt: 2, thread, prompt: `/planted @${secret}` })
      assert.deepStrictEqual([again.ended.threadId, again.ended.ending._tag], [thread, "Done"])
      assert.isAbove(requests.length, 5)
      assert.deepStrictEqual([diverted.length, traces(), planted(requests)], [0, [], []])
      assert.deepStrictEqual(new Set(requests.map(({ key }) => key)), new Set(["placeholder"]))
    }))

  it("does not keep a reader from answering in a form", () => {
    const answer = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
    return withBench(({ results }): Reply =>
      results.length === 0
        ? { _tag: "Tool", name: "StructuredOutput", input: { ok: true } }
        : { _tag: "Message", text: "Given." }, async ({ ask }) => {
      const { message } = (await ask({ untrusted: true, sandbox: "read-only", answer })).ended
      assert.strictEqual(message, '{"ok":true}')
    })
  })
})

describe("code of one's own", () => {
  it("instructs the agent and runs what its settings and the user's say", () =>
    withHostile(async ({ ask, requests, traces }) => {
      await ask()
      assert.includeMembers([...traces()], [
        "local-Stop",
        "local-helper",
        "project-PreToolUse",
        "project-server",
        "user-Stop",
        "user-server"
      ])
      assert.includeMembers([...planted(requests)], [
        "PLANTED-CLAUDE",
        "PLANTED-IMPORT",
        "PLANTED-RULE",
        "PLANTED-USER"
      ])
    }, false))

  it("can send prompt and key to another address", () =>
    withHostile(async ({ ask, diverted, requests }) => {
      await ask()
      assert.deepStrictEqual([diverted[0]?.key, requests.length], ["placeholder", 0])
    }))
})

describe("a prompt", () => {
  it("that names files sends none of them", () =>
    withBench(says("Seen."), async ({ ask, repo, requests }) => {
      const secret = join(dirname(repo), "secret.txt")
      for (const path of [secret, join(repo, "inner.txt")]) writeFileSync(path, "PLANTED-SECRET\n")
      await ask({ prompt: `Fix @${secret}, @"${secret}", (@${secret}#L1) and @inner.txt.` })
      assert.include(requests[0]?.text, "and @inner.txt.")
      assert.deepStrictEqual(planted(requests), [])
    }))

  it("that begins with a slash is no command", () =>
    withBench(says("Seen."), async ({ ask, requests }) => {
      const thread = (await ask({ prompt: "/clear is what is to be fixed." })).ended.threadId
      assert.include(requests[0]?.text, "/clear is what is to be fixed.")
      await ask({ attempt: 2, thread: thread ?? assert.fail("no thread"), prompt: "/compact" })
      assert.include(requests[1]?.messages.join("\n"), "Your task:\n\n/compact")
    }))
})

describe("a service that fails", () => {
  it.each([
    ["unauthorized", refuses(401, "authentication_error", "invalid x-api-key"), "Login"],
    ["rate-limit", refuses(429, "rate_limit_error", "This would exceed your rate limit"), "RateLimited"],
    ["overloaded", refuses(529, "overloaded_error", "Overloaded"), "Overloaded"],
    ["server-error", refuses(500, "api_error", "Internal server error"), "Overloaded"],
    ["no-credit", refuses(400, "invalid_request_error", "Your credit balance is too low to access the API."), "Quota"],
    [
      "context",
      refuses(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
      "ContextWindow"
    ]
  ])("with %s ends the agent with a type", (name, policy, tag) =>
    withBench(policy, async ({ ask }) => {
      const { ended } = await ask({ name })
      assert.deepStrictEqual([ended.ending._tag, ended.turn, ended.message], [tag, "failed", null])
      assert.isAbove(ended.ending.message.length, 10)
    }))

  it("by saying nothing ends the agent as idle", () =>
    withBench(() => ({ _tag: "Stalled" }), async ({ ask }) => {
      const { ended } = await ask({ name: "idle", limits: { ...defaultLimits, idle: 3000 } })
      assert.deepInclude(ended.ending, { _tag: "Idle", after: 3000 })
    }))

  it("while a command of the agent runs does not make it idle", () =>
    withBench(runs("sleep 5; echo built"), async ({ ask }) => {
      const { ended } = await ask({ limits: { ...defaultLimits, idle: 3000 } })
      assert.deepInclude(ended.ending, { _tag: "Done" })
    }))
})
