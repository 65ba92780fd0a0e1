// measure: the wall and processor time of short-lived commands, taken interleaved so that load hits all alike.
// Figures are ratios to a baseline measured in the same run; absolute times are only shown.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Processor time of ended children in milliseconds, theirs included; 10 ms ticks that sums even out. */
const childrenCpu = () => {
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /, "").split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/**
 * Runs each command `rounds` times in turn. Returns per name the median and least wall time and the mean processor
 * time of one run, in milliseconds.
 * @param {Readonly<Record<string, { readonly argv: ReadonlyArray<string>, readonly options?: object, readonly code?: number }>>} commands
 * @param {number} rounds
 */
export const interleaved = (commands, rounds) => {
  const names = Object.keys(commands)
  /** @type {Record<string, Array<number>>} */
  const wall = Object.fromEntries(names.map((name) => [name, []]))
  const cpu = Object.fromEntries(names.map((name) => [name, 0]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const command = commands[name]
      if (command === undefined) continue
      const [program = "", ...args] = command.argv
      const before = childrenCpu()
      const from = process.hrtime.bigint()
      const done = spawnSync(program, args, { stdio: "ignore", ...command.options })
      wall[name]?.push(Number(process.hrtime.bigint() - from) / 1e6)
      cpu[name] = (cpu[name] ?? 0) + childrenCpu() - before
      if (done.status !== (command.code ?? 0)) throw new Error(`${name}: exit ${done.status}`)
    }
  }
  return Object.fromEntries(names.map((name) => {
    const sorted = (wall[name] ?? []).slice().sort((a, b) => a - b)
    return [name, {
      median: sorted[Math.floor(sorted.length / 2)] ?? 0,
      least: sorted[0] ?? 0,
      cpu: (cpu[name] ?? 0) / rounds
    }]
  }))
}
