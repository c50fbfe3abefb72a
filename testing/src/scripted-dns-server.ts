export {
  FORGED,
  type Rcode,
  type ReceivedQuery,
  type Script,
  type ScriptedDnsOptions,
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '../../email/dist/test/scripted-dns-server.js';
