// Checks types, lint rules and formatting.
import { spawnSync } from 'node:child_process'

export function check(): boolean {
  const commands = [
    ['node_modules/.bin/tsc', '--project', '.'],
    [process.execPath, 'src/console/build.ts'], // Installs the types of its packages.
    ['node_modules/.bin/tsc', '--project', 'console'],
    ['node_modules/.bin/tsc', '--project', 'src/services/event/tag/page'],
    [`node_modules/@biomejs/cli-linux-${process.arch}/biome`, 'check', '--error-on-warnings', '.'],
  ] as const
  return commands
    .map(([program, ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status)
    .every(code => code === 0)
}

if (process.argv[1] === import.meta.filename) process.exitCode = check() ? 0 : 1
