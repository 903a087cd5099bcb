// A reporter for `node --test`: one JSON object that says how many tests there were, which failed, and the
// milliseconds of each file.
export default async function* count(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, failures: [], times: {} };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.nesting === 0 && data.file !== undefined) {
      counts.times[data.file] = (counts.times[data.file] ?? 0) + data.details.duration_ms;
    }
    if (data.details?.type === 'suite') continue;
    if (data.skip !== undefined) counts.skipped += 1;
    else if (data.todo !== undefined) counts.todo += 1;
    else if (type === 'test:pass') counts.passed += 1;
    else {
      counts.failed += 1;
      counts.failures.push(data.name);
    }
  }
  yield JSON.stringify(counts);
}
