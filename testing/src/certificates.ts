export { type Authority, type Certificate, createAuthority, selfSigned } from '../../dataset/dist/test/certificates.js';
