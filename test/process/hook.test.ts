// The hook as a process, with a codex that fails in each way, and with state that cannot be used: it is never in the way.
// Whatever goes wrong, the exit is 0, or 2 at a Stop that something real holds up, and nothing stays alive.
import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { assert, describe } from "vitest"
import { alive, answers, called, edit, hook, hookFrom, leftOpen, sessions, stateFile, stop } from "./hooking.ts"
import { eventually, it, living, type World } from "./world.ts"

describe.concurrent("a codex that", () => {
  const faults: ReadonlyArray<readonly [string, string | null, RegExp]> = [
    ["is missing", null, /codex: not found in PATH/],
    [
      "is not logged in",
      "cat >/dev/null; echo 'ERROR: not logged in' >&2; exit 1",
      /codex exited 1: not logged in \(run `codex login`/
    ],
    ["says PASS and fails", `${answers("PASS")}; exit 1`, /codex exited 1/],
    ["dies", "kill -SEGV $$", /codex was ended by SIGSEGV/],
    ["is slow", "sleep 600", /codex gave no answer within/],
    ["floods and dies", "head -c 30000000 /dev/zero >&2; exit 1", /codex exited 1/],
    ["forks and dies", "(sleep 600 &) ; (sleep 600 >/dev/null 2>&1 &); exit 1", /codex exited 1/]
  ]
  for (const [i, [name, script, why]] of faults.entries()) {
    const tags = i === 0 ? [] : ["slow"]
    it(`${name} is reported once, blocks nothing and leaves nothing behind`, { tags }, async ({ world }) => {
      // Whoever waits for codex to be too slow waits briefly; on a busy machine all others take their time.
      const deadline = name === "is slow" ? "8s" : "60s"
      const first = await hook(world, edit("x"), script, "--deadline", deadline).ended
      assert.deepStrictEqual([first.exit, first.stderr], [0, ""])
      assert.match(JSON.parse(first.stdout).systemMessage, why)
      const second = await hook(world, edit("y"), script, "--deadline", deadline).ended
      assert.deepStrictEqual([second.exit, second.stdout, second.stderr], [0, "", ""])
      const held = await hook(world, stop, script, "--deadline", deadline).ended
      assert.deepStrictEqual([held.exit, held.stdout, held.stderr], [0, "", ""])
      await eventually("nothing of it is alive", () => alive(world).length === 0)
    })
  }

  it("floods and answers is heard", { tags: "slow" }, async ({ world }) => {
    const script = `${answers("FAIL\n- wrong")}; head -c 30000000 /dev/zero; head -c 30000000 /dev/zero >&2`
    const { exit, stdout } = await hook(world, edit("x"), script).ended
    assert.deepStrictEqual([exit, JSON.parse(stdout).systemMessage], [0, "Codex on a.ts: found problems\n- wrong"])
    const held = await hook(world, stop, script).ended
    assert.strictEqual(`${held.exit}${held.stdout}`, "2")
    assert.match(held.stderr, /- a\.ts: wrong\n/)
  })

  it("is working ends with the hook, however the hook ends", async ({ world }) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      const started = hook(world, edit(signal), `echo $$ >"${world.path("pid")}"; exec sleep 600`)
      const pid = await eventually(
        "codex works",
        () => existsSync(world.path("pid")) && readFileSync(world.path("pid"), "utf8")
      )
      started.signal(signal)
      const { exit, stdout } = await started.ended
      assert.deepStrictEqual([exit, stdout], [0, ""])
      await eventually("codex is gone", () => !living(Number(pid)))
      rmSync(world.path("pid"))
    }
    await hook(world, stop, answers("PASS")).ended
    assert.strictEqual(called(world), 1)
  })

  it("is working ends with a hook that is killed, and no file is left", { tags: "slow" }, async ({ world }) => {
    const started = hook(world, edit("x"), `sleep 600 & echo $! >"${world.path("pid")}"; wait`)
    await eventually("codex works", () => existsSync(world.path("pid")))
    started.signal("SIGKILL")
    await eventually("nothing of it is alive", () => alive(world).length === 0)
    const left = () => readdirSync(world.path("tmp")).filter((name) => name.startsWith("ooda-hook-"))
    await eventually("its directory is gone", () => left().length === 0)
  })
})

describe.concurrent("state that", () => {
  const passes = answers("PASS")
  const puts: ReadonlyArray<readonly [string, boolean, (world: World) => void]> = [
    ["is no text of a session", true, (world) => writeFileSync(stateFile(world), '{"version":1}')],
    ["is a link to something else", true, (world) => {
      writeFileSync(world.path("other"), "mine")
      rmSync(stateFile(world))
      symlinkSync(world.path("other"), stateFile(world))
    }],
    ["is a directory", false, (world) => {
      rmSync(stateFile(world))
      mkdirSync(stateFile(world))
    }],
    ["others can write to", false, (world) => chmodSync(sessions(world), 0o777)],
    ["lies in a root that is a file", false, (world) => {
      rmSync(world.stateRoot, { recursive: true })
      writeFileSync(world.stateRoot, "")
    }]
  ]
  for (const [i, [name, keeps, put]] of puts.entries()) {
    const tags = i === 0 ? [] : ["slow"]
    it(`${name} prevents no review and hides none`, { tags }, async ({ world }) => {
      await hook(world, edit("x"), passes).ended
      put(world)
      const { exit, stderr, stdout } = await hook(world, edit("y"), answers("FAIL\n- wrong")).ended
      assert.deepStrictEqual([exit, stderr], [0, ""])
      assert.match(stdout, /found problems/)
      const held = await hook(world, stop, passes, "--gate", "fails").ended
      assert.strictEqual(held.exit, keeps ? 2 : 0)
      assert.strictEqual(/no review of this session can be stored/.test(held.stdout), !keeps)
      assert.strictEqual((await hook(world, { hook_event_name: "SessionEnd" }, passes).ended).exit, 0)
      if (existsSync(world.path("other"))) assert.strictEqual(readFileSync(world.path("other"), "utf8"), "mine")
    })
  }

  it("another process holds locked is waited for no longer than the deadline", async ({ world }) => {
    await hook(world, edit("x"), passes).ended
    const lock = stateFile(world).replace(/json$/, "lock")
    const holder = spawn("flock", [lock, "sh", "-c", `echo >"${world.path("held")}"; exec sleep 60`], {
      detached: true
    })
    await eventually("the lock is held", () => existsSync(world.path("held")))
    const { exit, stdout } = await hook(world, edit("y"), passes, "--deadline", "3s").ended
    assert.deepStrictEqual([exit, stdout], [0, ""])
    process.kill(-(holder.pid ?? 0), "SIGKILL")
  })
  it("no one has written yet is no reason to start codex, git or a lock", async ({ world }) => {
    const { exit, stdout } = await hook(world, stop, passes).ended
    assert.deepStrictEqual([exit, stdout, called(world)], [0, "", 0])
  })
})

describe.concurrent("twenty calls at once", () => {
  it("of the same edit ask codex once, and every one of them is answered", { tags: "slow" }, async ({ world }) => {
    const script = `sleep 1; ${answers("FAIL\n- wrong")}`
    const ended = await Promise.all(Array.from({ length: 20 }, () => hook(world, edit("x"), script).ended))
    assert.deepStrictEqual(ended.map(({ exit }) => exit), Array.from({ length: 20 }, () => 0))
    assert.strictEqual(called(world), 1)
    assert.strictEqual(ended.filter(({ stdout }) => /- wrong/.test(stdout)).length, 20)
  })

  it("of different edits lose none of them", async ({ world }) => {
    const events = Array.from(
      { length: 20 },
      (_, n) => ({ ...edit("x"), tool_input: { file_path: `${n}.ts`, content: "x" } })
    )
    const ended = await Promise.all(events.map((event) => hook(world, event, answers("FAIL\n- wrong")).ended))
    assert.deepStrictEqual(ended.map(({ exit }) => exit), Array.from({ length: 20 }, () => 0))
    const { exit, stderr } = await hook(world, stop, null).ended
    assert.strictEqual(exit, 2)
    assert.match(stderr, /found problems in 20 edits[^]*- and 15 more\n/)
  })
})

describe.concurrent("standard input", () => {
  it.for(Object.entries(leftOpen))(
    "left open by a %s is read as far as the event goes",
    async ([, caller], { world }) => {
      const { exit, stdout } = await hookFrom(caller, world, edit("x"), answers("PASS"), "--deadline", "60s").ended
      assert.deepStrictEqual([exit, stdout], [0, '{"systemMessage":"Codex on a.ts: passed"}\n'])
    }
  )

  it.for(Object.entries(leftOpen))("that a %s never finishes ends with the deadline", async ([, caller], { world }) => {
    await Promise.all(["", '{"hook_event_name":"Stop","session_id":"s"'].map(async (begun) => {
      const { exit, stderr, stdout } = await hookFrom(caller, world, Buffer.from(begun), null, "--deadline", "2s").ended
      assert.deepStrictEqual([exit, stdout, stderr], [0, "", ""])
    }))
  })

  it("of any bytes says nothing", { tags: "slow" }, async ({ world }) => {
    for (
      const bytes of [
        Buffer.alloc(0),
        Buffer.from([0xff, 0xfe, 0x00]),
        Buffer.from("{"),
        Buffer.from("[".repeat(1_000_000)),
        Buffer.from(JSON.stringify({ ...stop, cwd: "/none", session_id: "\u0000/../x", background_tasks: 7 })),
        Buffer.alloc(30_000_000, "x")
      ]
    ) {
      const { exit, stderr, stdout } = await hook(world, bytes, answers("FAIL")).ended
      assert.deepStrictEqual([exit, stdout, stderr], [0, "", ""])
    }
    assert.isFalse(existsSync(world.path("calls")))
  })

  it("with an edit of ten million characters is reviewed in parts", { tags: "slow" }, async ({ world }) => {
    const { exit, stdout } = await hook(world, edit("password: hunter2hunter2\n".repeat(400_000)), answers("PASS"))
      .ended
    assert.deepStrictEqual([exit, stdout], [0, '{"systemMessage":"Codex on a.ts: passed"}\n'])
  })
})

describe.concurrent("the rest of the line", () => {
  it("gives one line if it is wrong, and nothing is read", async ({ world }) => {
    const { exit, stderr, stdout } = await hook(world, edit("x"), null, "--gate", "strong").ended
    assert.deepStrictEqual([exit, stdout], [64, ""])
    assert.match(
      stderr,
      /^ooda-codex-review hook: --gate "strong": expected one of off, fails, review, ladder \[.*\]\n$/
    )
  })

  it("dismisses a FAIL, whose session then ends", { tags: "slow" }, async ({ world }) => {
    await hook(world, edit("x"), answers("FAIL\n- wrong")).ended
    const dismissed = await world.start(["hook", "dismiss", "a.ts", "--reason", "it is right"], {
      CLAUDE_CODE_SESSION_ID: "s"
    })
      .ended
    assert.deepStrictEqual([dismissed.exit, dismissed.stdout], [0, "dismissed: 1 FAIL of a.ts\n"])
    assert.strictEqual((await hook(world, stop, null, "--gate", "fails").ended).exit, 0)
  })
})
