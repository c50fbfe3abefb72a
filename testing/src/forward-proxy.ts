export { type ForwardProxy, startForwardProxy } from '../../dataset/dist/test/forward-proxy.js';
