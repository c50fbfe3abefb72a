import { Navigate } from '@tanstack/react-router';

/** An address of its own for the sign-in form, which `Gate` shows here; with a session there is nothing to do. */
export function SignInPage() {
  return <Navigate to="/" replace />;
}
