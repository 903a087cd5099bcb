// A reporter for `node --test`: one JSON object that says how many tests there were and which failed.
export default async function* count(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, failures: [] };
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
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
