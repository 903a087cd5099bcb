// A reporter for `node --test`: one line of JSON for each test of a file, as it ends.
export default async function* lines(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0) continue;
    const { name, file, skip, todo, details } = data;
    const error = type === 'test:fail' ? (details.error?.cause?.stack ?? String(details.error?.cause ?? details.error)) : undefined;
    yield `${JSON.stringify({ name, file, left: skip ?? todo, error, ms: details.duration_ms })}\n`;
  }
}
