import { isFailure } from '../../core/failure.js';
import { loginExtensions, newestRevision, ownMeta } from '../../core/product.js';
import { asObject, type JsonObject, type JsonValue, jsonWords, parseObject } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import { newerError, newerRevision, textsIn } from '../../mcp/eras.js';
import { httpFailed } from '../../mcp/failures.js';
import { brokenHeaderMark } from '../../mcp/headers/header-marks.js';
import { readPages } from '../../mcp/server-session.js';
import { proveAddress } from '../../tokens/credential-target.js';
import { attempt, type LoginRun } from '../run.js';

/** Step 13: does the server keep to the revision that it speaks, as far as no tool is called? */
export async function checkProtocol(run: LoginRun): Promise<void> {
  const { server, report } = run;
  run.progress.begin(`Asking ${server} which revision it speaks`);
  const speak = async () => {
    if (!checkRevision(run, await ask(run, 'server/discover'))) return;
    const cut = await readPages(async (at) => {
      const response = await ask(run, 'tools/list', at);
      checkTools(run, response);
      return response.result;
    });
    if (cut?.isFault) report.found('protocol-broken', `tools/list: ${cut.why}`);
  };
  await attempt(run, speak, ({ message }) => report.found('protocol-broken', message));
}

/** To one request: its result, or the error. */
interface ServerResponse {
  readonly status: number;
  readonly result: JsonObject | undefined;
  readonly error: JsonObject | undefined;
}

/** False where no tool can be listed: it speaks the older era alone, of which a login has shown enough, or none of ours. */
function checkRevision({ server, report }: LoginRun, { status, result, error }: ServerResponse): boolean {
  const named = textsIn(result?.['supportedVersions'] ?? asObject(error?.['data'])?.['supported']);
  try {
    const came = (error && { error }) ?? (result && { result }) ?? { failure: httpFailed(server, status) };
    const revision = newerRevision(server, came);
    if (revision !== undefined) report.pass('protocol', `it speaks ${named.join(', ') || revision}`);
    else if (result === undefined) report.pass('protocol', 'it speaks revisions up to 2025-11-25');
    else report.found('discover-invalid', `status ${status}, a result without supportedVersions`);
    return revision !== undefined && error?.['code'] !== newerError.revisionUnsupported;
  } catch (failure) {
    if (!isFailure(failure, 'revision_unknown')) throw failure;
    report.found('revision-unknown', named.length === 0 ? 'it names none' : `it speaks ${named.join(', ')}`);
    return false;
  }
}

function checkTools({ report }: LoginRun, { status, result, error }: ServerResponse): void {
  const { resultType: type = 'complete' } = result ?? {};
  if (result === undefined) {
    const code = error === undefined ? `status ${status}` : `error ${jsonWords(error['code'], 'none')}`;
    if (error?.['code'] !== -32601) report.found('protocol-broken', `tools/list: ${code}`);
  } else if (type !== 'complete') {
    report.found('list-asks', `tools/list: resultType ${printable(JSON.stringify(type), 80)}`);
  }
  for (const tool of toolsIn(result?.['tools'])) {
    const why = brokenHeaderMark(tool);
    if (why !== undefined) report.found('tool-marks-broken', `${jsonWords(tool['name'], 'a tool')}: ${why}`);
  }
}

function toolsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((tool) => tool !== undefined) : [];
}

const limits = { of: 'response', totalMs: 10_000, headersMs: 10_000, maxBytes: 1024 * 1024 } as const;

/** One request of the newer era with the token of this run. @throws Failure of the HTTP client */
async function ask(run: LoginRun, method: string, params: JsonObject = {}): Promise<ServerResponse> {
  const { direct, server, credential, signal } = run;
  proveAddress({ server: credential.binding.server }, server);
  await using response = await direct.send({
    method: 'POST',
    url: server,
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ['mcp-protocol-version', newestRevision],
      ['mcp-method', method],
      ['authorization', `Bearer ${credential.accessToken.reveal()}`],
    ],
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method,
      params: { ...params, _meta: ownMeta(newestRevision, { extensions: loginExtensions(credential) }) },
    }),
    namedBy: 'person',
    redirects: 'report',
    limits,
    signal,
  });
  const text = new TextDecoder().decode(await response.bytes());
  const message = parseObject(text) ?? lastEvent(text);
  return { status: response.status, result: asObject(message?.['result']), error: asObject(message?.['error']) };
}

/** The last message of an event stream that has ended. */
function lastEvent(text: string): JsonObject | undefined {
  const data = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  return parseObject(data.at(-1)?.slice('data:'.length) ?? '');
}
