// SPDX-License-Identifier: Apache-2.0
// tr(R(q)^T M) is a quadratic form q^T K q of the quaternion, so the best q is the top eigenvector of a 4x4
// matrix [horn1987]. Almost always it is found by Newton's method: on the characteristic polynomial for the
// eigenvalue, an adjugate for the vector, then on the rotation group, where the Hessian tr(S) I - S (S the
// symmetric part of R^T M) also certifies the result: where it is positive definite the rotation is the
// global best. Without that certificate Jacobi's method decides.
#include "sinew/math/rotation_fit.h"

#include <cmath>

#include "sinew/math/rotation_fit_lanes.h"

namespace sinew {
namespace {

using Mat4Array = Eigen::Matrix4d;

constexpr double kFar = 0.5;  // radians

// In the order w, x, y, z.
Mat4Array quadratic_form(const Mat3& M) {
  Mat4Array K;
  K << M(0, 0) + M(1, 1) + M(2, 2), M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1),  //
      M(2, 1) - M(1, 2), M(0, 0) - M(1, 1) - M(2, 2), M(0, 1) + M(1, 0), M(0, 2) + M(2, 0),   //
      M(0, 2) - M(2, 0), M(0, 1) + M(1, 0), M(1, 1) - M(0, 0) - M(2, 2), M(1, 2) + M(2, 1),   //
      M(1, 0) - M(0, 1), M(0, 2) + M(2, 0), M(1, 2) + M(2, 1), M(2, 2) - M(0, 0) - M(1, 1);
  return K;
}

// Newton's method on the rotation group from q. True where it ended at the certified maximum. |M| = 1.
bool climb(const Mat3& M, Quat& q) {
  for (int step = 0; step < 6; ++step) {
    const Mat3 A = q.toRotationMatrix().transpose() * M;
    const Vec3 gradient(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
    const double trace = A.trace();
    const double h00 = trace - A(0, 0), h11 = trace - A(1, 1), h22 = trace - A(2, 2);
    const double h01 = -0.5 * (A(0, 1) + A(1, 0)), h02 = -0.5 * (A(0, 2) + A(2, 0)),
                 h12 = -0.5 * (A(1, 2) + A(2, 1));
    const double c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    const double c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    const double determinant = h00 * c00 + h01 * c01 + h02 * c02;
    // 4 det / trace^2 bounds the smallest eigenvalue from below.
    const double smallest = determinant / (trace * trace);
    if (!(h00 > 0 && c22 > 0 && smallest > 1e-5)) return false;
    const Vec3 turn = Vec3(c00 * gradient.x() + c01 * gradient.y() + c02 * gradient.z(),
                           c01 * gradient.x() + c11 * gradient.y() + c12 * gradient.z(),
                           c02 * gradient.x() + c12 * gradient.y() + c22 * gradient.z()) /
                      determinant;
    const double size = turn.squaredNorm();
    // From further away Newton's method wanders: the eigenvalue is the shorter way.
    if (size > kFar * kFar) return false;
    q = q * Quat(1, 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z());
    q.coeffs() /= q.norm();
    // The step squares the error (times at most 1 / smallest): after one this small nothing is left.
    if (size < 1e-12 * smallest) return true;
  }
  return false;
}

// A quaternion near the top eigenvector of the quadratic form, wherever its eigenvalue stands apart. |M| = 1.
Quat approximate_fit(const Mat3& M) {
  const double determinant = M.determinant();
  Mat3 cofactors;
  cofactors << M.col(1).cross(M.col(2)), M.col(2).cross(M.col(0)), M.col(0).cross(M.col(1));
  const double minors = cofactors.squaredNorm();
  // p = (l^2 - 1)^2 - 8 det l - 4 minors falls monotonously to its largest root from the right.
  double l = 1.7320508075688773;
  for (int step = 0; step < 12; ++step) {
    const double excess = l * l - 1, slope = 4 * l * excess - 8 * determinant;
    const double change = (excess * excess - 8 * determinant * l - 4 * minors) / slope;
    if (!(slope > 0) || !std::isfinite(change)) break;
    l -= change;
    if (change < 1e-9) break;
  }
  Mat4Array K = quadratic_form(M);
  K.diagonal().array() -= l;
  double q[4];
  null_vector(K(0, 0), K(0, 1), K(0, 2), K(0, 3), K(1, 1), K(1, 2), K(1, 3), K(2, 2), K(2, 3), K(3, 3), q);
  Quat result(q[0], q[1], q[2], q[3]);
  const double norm = result.norm();
  if (!(norm > 1e-30)) return Quat::Identity();
  result.coeffs() /= norm;
  return result;
}

// Cyclic Jacobi: the diagonal of K becomes its eigenvalues, the columns of V its eigenvectors.
void diagonalise(Mat4Array& K, Mat4Array& V) {
  V.setIdentity();
  for (int sweep = 0; sweep < 12; ++sweep) {
    double off = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) off += K(i, j) * K(i, j);
    if (off < 1e-34) return;
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) {
        if (std::abs(K(i, j)) < 1e-300) continue;
        const double tau = (K(j, j) - K(i, i)) / (2 * K(i, j));
        const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const Eigen::JacobiRotation<double> rotation(1 / std::sqrt(1 + t * t), t / std::sqrt(1 + t * t));
        K.applyOnTheLeft(i, j, rotation.adjoint());
        K.applyOnTheRight(i, j, rotation);
        V.applyOnTheRight(i, j, rotation);
      }
  }
}

// The best quaternion nearest to `start`. |M| = 1.
Quat fit_by_jacobi(const Mat3& M, const Quat& start) {
  Mat4Array K = quadratic_form(M), V;
  diagonalise(K, V);
  int top = 0;
  const double largest = K.diagonal().maxCoeff(&top);
  const Vec4 wanted(start.w(), start.x(), start.y(), start.z());
  Vec4 q = Vec4::Zero();
  for (int k = 0; k < 4; ++k)
    if (K(k, k) >= largest - 1e-12) q += V.col(k).dot(wanted) * V.col(k);
  if (q.norm() < 1e-6) q = V.col(top);
  q.normalize();
  return Quat(q[0], q[1], q[2], q[3]);
}

}  // namespace

Quat fit_rotation(const Mat3& M, const Quat& start) {
  const double size = M.cwiseAbs().maxCoeff();
  if (!(size > 0) || !M.allFinite()) return start;
  Mat3 unit = M / size;  // first, so that squares neither overflow nor vanish
  unit /= unit.norm();
  Quat q = start;
  if (climb(unit, q)) return q;
  q = approximate_fit(unit);
  if (climb(unit, q)) return q;
  return fit_by_jacobi(unit, start);
}

}  // namespace sinew
