// Wrapper: its limits hold without an observer, and killed at any moment it leaves a whole exit file or none.
// Behind an exit file there is the whole log, and nothing of the command lives on.
import { execFileSync, spawn } from "node:child_process"
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "vitest"
import { flockDescriptors } from "../../../../src/platform/Flock.ts"
import type { Order } from "../../../../src/platform/guard/Job.ts"
import { readJournal } from "../../../../src/platform/guard/Journal.ts"
import { limitMark, livingOf } from "../../../../src/platform/guard/Liveness.ts"
import { underUmask, wrapperArguments, wrapperProgram } from "../../../../src/platform/guard/Wrapper.ts"
import { type Bench, eventually, exited, living, lost, marked, sh, withBench } from "./guarded.ts"

const path = process.env["PATH"] ?? ""

const found = (program: string): string | null =>
  path.split(delimiter).map((directory) => join(directory, program)).find((file) => existsSync(file)) ?? null

/** Starts a wrapper with a shell, as the guard does, without the guard. */
const start = (bench: Bench, shell: string, options: ReadonlyArray<string>, order: Order): void => {
  mkdirSync(bench.dir, { recursive: true })
  const fd = openSync(order.files.lock, "a", 0o600)
  assert.isTrue(flockDescriptors([fd], "exclusive", process.env))
  spawn(shell, [...options, ...wrapperArguments(order, path, null)], {
    cwd: bench.work,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", fd],
    env: { ...process.env, ...wrapperProgram, OODA_ATTEMPT: order.id }
  })
  closeSync(fd)
}

const struck = ({ files }: Order): ReadonlyArray<string> | null => {
  const journal = readJournal(files.journal)
  return journal._tag === "Started" ? journal.struck : null
}

const everything = sh.children(2) + sh.stubborn

describe.concurrent("the deadline", () => {
  it("ends a command and is distinguished from its exit status", () =>
    withBench(async (bench) => {
      const order = bench.order(everything + sh.forever, { deadline: 500 })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(143, "deadline"))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it("ends one that ignores SIGTERM", { tags: "slow" }, () =>
    withBench(async (bench) => {
      const order = bench.order(sh.ignoreTerm + everything + sh.forever, { deadline: 1500 })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(137, "deadline"))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it("holds when the wrapper is gone and no one looks", () =>
    withBench(async (bench) => {
      const script = sh.ignoreTerm + everything + sh.mark(bench.path("pid")) + sh.forever
      const order = bench.order(script, { deadline: 2500 })
      await bench.launch(order)
      const { group, wrapper } = await bench.begun(order)
      await eventually("the command at work", () => existsSync(bench.path("pid")))
      process.kill(wrapper.pid, "SIGKILL")
      await eventually("the wrapper's end", () => !living(wrapper.pid))
      assert.isTrue(living(group.pgid))
      await eventually("nothing left", () => marked(order.id).length === 0)
      assert.isFalse(existsSync(order.files.exit))
      assert.deepStrictEqual(struck(order), ["deadline"])
      assert.deepStrictEqual(await bench.lookOnce(order), lost)
    }))

  it("that strikes as the command ends well is reported, and its output is whole", () =>
    withBench(async (bench) => {
      const order = bench.order("trap 'echo fine; exit 0' TERM; while :; do sleep 0.02; done", { deadline: 1500 })
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0, "deadline"))
      assert.strictEqual(bench.read(order.files.out), "fine\n")
    }))
})

describe.concurrent("the bound on what it writes", () => {
  it.each([["standard error", ">&2"], ["standard output", ""]])(
    "ends a command that outgrows it on %s without an observer",
    (_, to) =>
      withBench(async (bench) => {
        const script = `head -c 300000 /dev/zero ${to}; ${sh.children(1)}${sh.forever}`
        const order = bench.order(script, { maxBytes: 200_000 })
        await bench.launch(order)
        assert.deepStrictEqual(await bench.ended(order), exited(143, "oversize"))
        await eventually("nothing left", () => marked(order.id).length === 0)
      })
  )
})

describe.concurrent("the end of the command itself", () => {
  it("by a signal takes along what it started", () =>
    withBench(async (bench) => {
      const order = bench.order(`${everything}sleep 0.2; kill -s KILL $$`)
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(137))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it("in good order takes along what it started in other sessions", { tags: "slow" }, () =>
    withBench(async (bench) => {
      const order = bench.order(`${everything}sleep 0.2; echo fine`)
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))

  it("takes along an orphan without variables and open files, in a session of its own", () =>
    withBench(async (bench) => {
      const pid = bench.path("pid")
      const script = `exec </dev/null >/dev/null 2>&1; echo $$ >${pid}; sleep 3600; :`
      const order = bench.order(`( env -i setsid sh -c '${script}' & ); ${sh.waitFor(pid)} echo fine`)
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      await eventually("its end", () => !living(Number(bench.read(pid))))
    }))

  it.each(["mkfifo", "ln -s ../kept"])(
    "is reported in place of the files' present contents: %s",
    (made) =>
      withBench(async (bench) => {
        writeFileSync(bench.path("kept"), "kept")
        const order = bench.order(`${made} '${bench.path("wake/a")}'; echo done`)
        await bench.launch(order)
        assert.deepStrictEqual(await bench.ended(order), exited(0))
        await eventually("the wake file is a plain one", () =>
          lstatSync(order.wake, { throwIfNoEntry: false })?.isFile() === true)
        await eventually("nothing left", () =>
          marked(order.id).length === 0)
        assert.strictEqual(bench.read(bench.path("kept")), "kept")
      })
  )

  it("in good order takes along its group", () =>
    withBench(async (bench) => {
      const order = bench.order(`${sh.ignoreTerm}sleep 3600 & echo $! >${bench.path("child")}; echo fine`)
      await bench.launch(order)
      assert.deepStrictEqual(await bench.ended(order), exited(0))
      await eventually("nothing left", () => marked(order.id).length === 0)
      assert.isFalse(living(Number(bench.read(bench.path("child")))))
    }))

  it("within an instant leaves no helper of the wrapper behind", () =>
    withBench(async (bench) => {
      const orders = Array.from({ length: 60 }, (_, i) => bench.order("", { command: ["/bin/true"] }, `p${i}`))
      await bench.launch(...orders)
      for (const order of orders) await bench.ended(order)
      await eventually("nothing left", () => orders.every(({ id }) => marked(id).length === 0))
    }))

  it("by SIGTERM to the wrapper is the same as a stop", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.ignoreTerm + everything + sh.mark(bench.path("pid")) + sh.forever)
      await bench.launch(order)
      await eventually("the command at work", () => existsSync(bench.path("pid")))
      process.kill((await bench.begun(order)).wrapper.pid, "SIGTERM")
      assert.deepStrictEqual(await bench.ended(order), exited(137))
      await eventually("nothing left", () => marked(order.id).length === 0)
      assert.deepStrictEqual(struck(order), ["stopped"])
    }))
})

describe("standard input", () => {
  it("that is gone when the wrapper opens it ends the command with the reason in its log", () =>
    withBench(async (bench) => {
      const order = bench.order(sh.mark(bench.path("pid")), { input: bench.path("gone") })
      start(bench, "/bin/sh", [], order)
      const sighting = await bench.ended(order)
      assert.include([1, 2], sighting._tag === "Exited" ? sighting.status : null)
      assert.include(bench.read(order.files.log), "gone")
      assert.isFalse(existsSync(bench.path("pid")))
      await eventually("nothing left", () => marked(order.id).length === 0)
    }))
})

/** A helper that kills the wrapper of the journal in $KILL before or after it does its work. */
const killer = (real: string, when: "before" | "after"): string =>
  `#!/bin/sh
end() { read -r word id pid rest <"$KILL" && kill -s KILL "$pid"; }
${when === "before" ? "end" : ""}
"${real}" "$@"
${when === "after" ? "end" : ""}
`

describe("a wrapper killed at the end", () => {
  const programs = ["wc", "tail", "cat", "dd", "sync", "mv"]
  const moments = programs.flatMap((program) => (["before", "after"] as const).map((when) => ({ program, when })))

  it.each(moments)(
    "$when $program loses nothing once it has noted the end",
    ({ program, when }) =>
      withBench(async (bench) => {
        const tools = bench.path("tools")
        mkdirSync(tools)
        writeFileSync(`${tools}/${program}`, killer(found(program) ?? assert.fail(`no ${program}`), when), {
          mode: 0o755
        })
        const job = bench.job()
        const environment = { ...process.env, PATH: `${tools}${delimiter}${path}`, KILL: job.files.journal }
        const order = { ...bench.order("echo warn >&2; echo said", { environment }), ...job }
        await bench.launch(order)
        const sighting = await bench.ended(order)
        if (program === "wc") {
          assert.deepStrictEqual(sighting, lost)
          assert.isFalse(existsSync(order.files.exit))
          return
        }
        assert.deepStrictEqual(sighting, exited(0))
        assert.strictEqual(bench.read(order.files.exit), "0\n")
        assert.strictEqual(bench.read(order.files.log), "warn\nsaid\n")
        await eventually("nothing left", () => marked(order.id).length === 0)
        assert.strictEqual(bench.read(order.files.exit), "0\n")
      })
  )

  it("at any time is either too late or a loss", { tags: "slow" }, () =>
    withBench(async (bench) => {
      for (let turn = 1; turn <= 30; turn += 1) {
        const order = bench.order("echo warn >&2; echo said", {}, `p${turn}`)
        await bench.launch(order)
        const { wrapper } = await bench.begun(order)
        for (let look = 0; look < turn; look += 1) await bench.lookOnce(order)
        try {
          process.kill(wrapper.pid, "SIGKILL")
        } catch {
          // It had ended.
        }
        const sighting = await bench.ended(order)
        if (sighting._tag === "Exited") {
          assert.strictEqual(bench.read(order.files.exit), "0\n")
          assert.strictEqual(bench.read(order.files.log), "warn\nsaid\n")
          // What put the exit file in place may itself still be on its way out.
          await eventually("nothing left", () => marked(order.id).length === 0)
        } else {
          assert.strictEqual(sighting._tag, "Lost")
          assert.isFalse(existsSync(order.files.exit))
          assert.deepStrictEqual(marked(order.id), [])
        }
      }
    }))
})

/** A directory with every program of PATH but some. */
const without = (bench: Bench, missing: ReadonlyArray<string>): string => {
  const tools = bench.path("tools")
  mkdirSync(tools)
  for (const from of path.split(delimiter).filter((directory) => existsSync(directory))) {
    for (const name of readdirSync(from)) {
      if (!missing.includes(name) && !existsSync(join(tools, name))) {
        try {
          symlinkSync(join(from, name), join(tools, name))
        } catch {
          // A dangling link of that name is there already.
        }
      }
    }
  }
  return tools
}

describe("a session of its own", () => {
  it.each([[[]], [["setsid"]], [["setsid", "perl"]]])(
    "is given without %j to a command by its name",
    (missing) =>
      withBench(async (bench) => {
        const environment = { ...process.env, PATH: without(bench, missing) }
        const order = bench.order("", { command: ["sh", "-c", "echo said; exit 4"], environment })
        await bench.launch(order)
        assert.deepStrictEqual(await bench.ended(order), exited(4))
        assert.strictEqual(bench.read(order.files.log), "said\n")
      })
  )
})

describe.skipIf(!existsSync("/proc/self/cmdline"))("the program of a wrapper", () => {
  it("is in no list of processes, and its command does not get it", () =>
    withBench(async (bench) => {
      const order = bench.order(`env\n${sh.forever}`)
      await bench.launch(order)
      const { wrapper } = await bench.begun(order)
      const shown = readFileSync(`/proc/${wrapper.pid}/cmdline`, "latin1")
      assert.include(shown, "ooda-guard")
      assert.notInclude(shown, "sweep")
      await eventually("the environment", () => bench.read(order.files.out).includes("PATH="))
      assert.notInclude(bench.read(order.files.out), "OODA_GUARD_SCRIPT")
      await bench.stop(order)
    }))
})

describe("a wrapper that a command starts", () => {
  it("belongs to its own job alone", () =>
    withBench(async (bench) => {
      const [outer, order] = [bench.order(""), bench.order(sh.forever)]
      const limit = `ulimit -S -w "$0" || ulimit -S -x "$0"; exec /bin/sh "$@"`
      start(bench, "/bin/sh", ["-c", limit, limitMark(outer.id)], order)
      const journal = await bench.begun(order)
      const outerJournal = { ...journal, group: null, wrapper: { ...journal.wrapper, id: outer.id, pid: 2 ** 22 + 1 } }
      assert.deepStrictEqual(livingOf([outerJournal], process.env), { wrappers: [], others: [] })
      const others = () => livingOf([{ ...journal, group: null }], process.env).others
      await eventually("both of its processes", () => others().length === 2)
      await bench.stop(order)
    }))
})

describe("the wrapper's script", () => {
  const shells = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"], ["zsh", "--emulate", "sh"]]

  for (const [program = "", ...options] of shells) {
    const shell = found(program)
    const name = [program, ...options].join(" ")
    it.skipIf(shell === null)(
      `does the same under ${name}`,
      { tags: name === "dash" ? [] : ["slow"] },
      () =>
        withBench(async (bench) => {
          const run = (script: string, deadline: number, place: string, input: string | null = null) => {
            const order = bench.order(script, { deadline, input }, place)
            start(bench, shell ?? "", options, order)
            return order
          }
          writeFileSync(bench.path("prompt"), "asked\n")
          const clean = run("echo warn >&2; cat; exit 5", 60_000, "a", bench.path("prompt"))
          assert.deepStrictEqual(await bench.ended(clean), exited(5))
          assert.strictEqual(bench.read(clean.files.log), "warn\nasked\n")
          const late = run(sh.children(1) + sh.stubborn + sh.forever, 700, "b")
          assert.deepStrictEqual(await bench.ended(late), exited(143, "deadline"))
          await eventually("nothing left of the late one", () => marked(late.id).length === 0)
          const ignoring = run(sh.ignoreTerm + sh.children(1) + sh.forever, 60_000, "c")
          process.kill((await bench.begun(ignoring)).wrapper.pid, "SIGTERM")
          assert.include(
            [137, 143],
            await bench.ended(ignoring).then((ended) => ended._tag === "Exited" ? ended.status : null)
          )
          await eventually("nothing left of the stopped one", () => marked(ignoring.id).length === 0)
          const killed = run(sh.forever, 60_000, "d")
          process.kill((await bench.begun(killed)).wrapper.pid, "SIGKILL")
          assert.deepStrictEqual(await bench.ended(killed), lost)
          assert.deepStrictEqual(readdirSync(bench.dir).filter((file) => file.endsWith(".new")), ["d.exit.new"])
        })
    )
  }
})

describe("the umask", () => {
  it.each([["22", "0022\n"], ["2", "0002\n"], [null, "0077\n"]])("a program gets the umask %s", (umask, got) => {
    const shell = ["-c", 'umask 077; exec sh "$@"', "sh", ...underUmask(umask, "sh", ["-c", "umask"])]
    assert.strictEqual(`${execFileSync("sh", shell, { env: { ...process.env, OODA_UMASK: "27" } })}`, got)
  })
})
