// helpFlags: the flags of each subcommand, as its help prints them.
import { metavarOf } from "../../src/cli/help.ts"
import { Effect, Option } from "effect"
import { CliConfig, CliOutput, Command, Completions, GlobalFlag } from "effect/cli"
import { subcommands } from "../../src/cli/subcommands.ts"
import { commanding } from "../../src/commandLayers.ts"
import { Call } from "../../src/cli/command.ts"
import { whole } from "../../src/cli/completions.ts"

/** A flag as its subcommand's help has it. */
export interface HelpFlag {
  readonly command: string
  readonly flag: string
  readonly metavar: string
  readonly text: string
}

const commands = new Map(Completions.fromCommand(whole).subcommands.map((one) => [one.name, one.subcommands]))
const paths = [...subcommands.keys()].flatMap((name) => [
  [name],
  ...(commands.get(name) ?? []).map((one) => [name, one.name])
])

/** The flags of all subcommands. */
export const helpFlags = async (): Promise<ReadonlyArray<HelpFlag>> => {
  const all: Array<HelpFlag> = []
  const present = (event: CliOutput.Presenter.Event) =>
    Effect.sync(() => {
      if (event._tag !== "Help") return
      const command = event.commandPath.slice(1).join(" ")
      for (const { description, name, type } of event.helpDoc.flags) {
        const flag = `${name.length === 1 ? "-" : "--"}${name}`
        const text = Option.getOrElse(description, () => "")
        all.push({ command, flag, metavar: metavarOf({ type }), text })
      }
    })
  await Effect.runPromise(
    Effect.forEach(paths, (path) => Command.runWith(whole, { version: "" })([...path, "--help"])).pipe(
      Effect.provideService(CliOutput.Presenter, { present }),
      Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help] })),
      Effect.provideService(Call, { cwd: Effect.succeed("/"), version: "", end: () => Effect.void }),
      Effect.provide(commanding)
    )
  )
  return all
}
