// A reporter for `node --test`: one line of JSON for each test as it ends.
import { inspect } from 'node:util';

export default async function* lines(events) {
  let before = process.cpuUsage();
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, nesting, skip, todo, details } = data;
    const error = type === 'test:fail' ? textOf(details.error?.cause ?? details.error) : undefined;
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const cost = { ms: details?.duration_ms, cpuMs: (user + system) / 1000 };
    yield `${JSON.stringify({ name, file, nesting, isSuite: details?.type === 'suite', left: skip ?? todo, error, ...cost })}\n`;
  }
}

function textOf(error) {
  return error instanceof Error ? (error.stack ?? String(error)).replace(/\n {4}at (?:async )?[^\n]*node:internal[^\n]*/g, '') : inspect(error);
}
