import { wordsWrong } from '../../errors/credential.js';
import { targetUrl } from '../../primitives/credential-target.js';
import {
  type CredentialArguments,
  type CredentialCall,
  minLifeOf,
  serverIn,
  usualCall,
  wantedOf,
} from './call.js';
import { gitCapabilities, gitOutput, gitUsername, readGitRequest } from './git.js';

/** git asks, tells that a credential was good, or that it was not. @throws Failure `request_unusable`, `usage_wrong` */
export function gitCall(args: CredentialArguments, input: Uint8Array): CredentialCall {
  const operation = args.words.at(-1);
  if (operation === undefined) {
    throw wordsWrong('git', 'is called with get, store, erase or capability as its last word');
  }
  const named = serverIn('git', args.words.slice(0, -1));
  if (operation === 'capability') {
    return { kind: 'answer', output: gitCapabilities };
  }
  if (operation !== 'get' && operation !== 'erase') {
    return { kind: 'answer', output: '' }; // store, and whatever git may come up with
  }
  const request = readGitRequest(input);
  const { username, credential } = request;
  const isAccount = username !== undefined && username !== '' && username !== gitUsername;
  const account = args.account ?? (isAccount ? username : undefined);
  const target = request.target ?? '';
  const wanted = wantedOf('git', { ...args, account }, named, target);
  if (operation === 'erase') {
    return credential === undefined
      ? { kind: 'answer', output: '' }
      : { kind: 'refused', wanted, credential };
  }
  const isOther = isAccount && args.account !== undefined && args.account !== username;
  if (targetUrl(target) === undefined || isOther) {
    return { kind: 'answer', output: '' };
  }
  if (!request.takesBearer && !request.mayTakePassword) {
    return { kind: 'too_old', wanted };
  }
  return {
    ...usualCall,
    wanted,
    unmapped: '',
    hint: request.namesPath ? undefined : 'use_http_path',
    minLifeMs: minLifeOf(args),
    output: (granted, now) => gitOutput(granted, request, now),
  };
}
