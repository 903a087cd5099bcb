import { exitCode, isFailure } from '../../core/failure.js';
import type { ProxyServices } from '../../core/services/proxy-services.js';
import { asObject, parseObject, stringField } from '../../core/text/json.js';
import type { HttpPorts } from '../../http/request.js';
import { type CheckedEntry, type CheckMode, callersWait } from '../check-entry.js';
import type { MachineFiles } from '../machine/ports.js';
import { planEntry, type SetupRequest } from '../plan-entry.js';
import { initializeLine, readResponse } from '../programs/responses.js';
import { addressNow, proxiedRequest } from './proxied-request.js';

interface World extends HttpPorts {
  readonly proxyServices: Pick<ProxyServices, 'all' | 'hostOf' | 'isListening'>;
  readonly signal: AbortSignal;
}

/**
 * Looks whether the address in the entry is that of its service, with a key that holds, and asks there what the program would
 * ask. Nothing is asked at an address that is not the service's.
 * @throws Failure of `planEntry`
 */
export async function checkProxied(
  world: World,
  machine: MachineFiles,
  plain: SetupRequest,
  { id, mode }: { readonly id: string; readonly mode: CheckMode },
): Promise<CheckedEntry> {
  const service = (await world.proxyServices.all()).find((one) => one.id === id);
  const now = await addressNow(machine, plain);
  const held = now === undefined ? undefined : await world.proxyServices.hostOf(now);
  const isOurs = service !== undefined && held?.service === id && held.host === plain.program.name;
  const known = service ?? { id, port: 0, mount: '' };
  const request = proxiedRequest(plain, known, isOurs ? now : undefined);
  const plan = await planEntry(machine, request);
  const { program } = plain;
  const blocks = [...(program.blocks?.(plan.wanted) ?? [])];
  const about = { request, plan, faults: [], blocks, old: undefined };
  if (now === undefined) return { ...about, state: 'missing', end: 'not-run', response: { kind: 'nothing' } };
  if (!isOurs) {
    const why = service === undefined ? 'its proxy is not installed any more' : 'its key does not hold any more';
    const gone = `${why}: postern setup ${program.name} --proxy --write`;
    return { ...about, blocks: [gone, ...blocks], state: 'different', end: 'not-run', response: { kind: 'nothing' } };
  }
  if (mode === 'compare') return { ...about, state: 'there', end: 'compared', response: { kind: 'nothing' } };
  if (!(await world.proxyServices.isListening(id))) {
    const stderr = `Its proxy does not answer on port ${service.port}. See: postern doctor`;
    return { ...about, state: 'there', end: { code: exitCode.network, stderr }, response: { kind: 'nothing' } };
  }
  return { ...about, state: 'there', ...(await ask(world, now)) };
}

async function ask({ http, signal }: World, address: string): Promise<Pick<CheckedEntry, 'end' | 'response'>> {
  try {
    await using response = await http.send({
      method: 'POST',
      url: address,
      headers: [
        ['content-type', 'application/json'],
        ['accept', 'application/json, text/event-stream'],
      ],
      body: initializeLine,
      namedBy: 'person',
      redirects: 'report',
      limits: { totalMs: callersWait, headersMs: callersWait, maxBytes: 1_048_576 },
      signal,
    });
    const text = new TextDecoder().decode(await response.bytes());
    const message = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text;
    if (response.status === 200) return { end: { code: 0, stderr: '' }, response: readResponse('bridge', message) };
    const said = asObject(parseObject(text)?.['error']);
    const why = (said && stringField(said, 'message')) ?? `HTTP ${response.status}`;
    const code = response.status === 503 ? exitCode.loginNeeded : exitCode.callFailed;
    return { end: { code, stderr: why }, response: { kind: 'refused', why } };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFailure(error)) throw error;
    const why = `${error.message} See: postern doctor`;
    return { end: { code: error.exit, stderr: why }, response: { kind: 'nothing' } };
  }
}
