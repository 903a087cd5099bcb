import { service } from './item-name.js';
import { entryOptions, loadNative } from './native.js';

/** One use of one item. `unlock` writes an item of no worth and removes it: the keychain asks for its password. */
export interface ItemRequest {
  readonly operation: 'read' | 'write' | 'remove' | 'unlock';
  readonly account: string;
  /** For `write`. */
  readonly text?: string;
}

/** What came of it. `value`: the text read, or whether something was removed; null when there was no item. */
export type ItemAnswer =
  | { readonly ok: true; readonly value: string | boolean | null }
  | { readonly ok: false; readonly problem: 'no_package' | 'failed'; readonly message: string };

/** Performs one request with the platform's keychain. It may take for ever and cannot be ended. Never rejects. */
export async function performItemRequest(request: ItemRequest): Promise<ItemAnswer> {
  let native: ReturnType<typeof loadNative>;
  try {
    native = loadNative();
  } catch (error) {
    return { ok: false, problem: 'no_package', message: messageOf(error) };
  }
  try {
    const entry = new native.AsyncEntry(service, request.account, entryOptions);
    switch (request.operation) {
      case 'read':
        return { ok: true, value: (await entry.getPassword()) ?? null };
      case 'remove':
        return { ok: true, value: await entry.deleteCredential() };
      case 'write':
        await entry.setPassword(request.text ?? '');
        return { ok: true, value: true };
      case 'unlock':
        await entry.setPassword('unlocked');
        return { ok: true, value: await entry.deleteCredential() };
    }
  } catch (error) {
    return { ok: false, problem: 'failed', message: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
