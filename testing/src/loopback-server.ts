export {
  type Answer,
  cutOff,
  type LoopbackServer,
  startLoopbackServer,
} from '../../dataset/dist/test/loopback-server.js';
