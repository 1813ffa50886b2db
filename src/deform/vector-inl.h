// SPDX-License-Identifier: Apache-2.0
// Arithmetic that the kernels share, compiled once per target: points, quaternions and matrices, one vertex a
// lane. T is a vector of any number of lanes.
#if defined(SINEW_DEFORM_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SINEW_DEFORM_VECTOR_INL_H_
#undef SINEW_DEFORM_VECTOR_INL_H_
#else
#define SINEW_DEFORM_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace sinew {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Vec3Of {
  T x, y, z;
};

// A quaternion, mostly not normalised: vector part and scalar part.
template <class T>
struct QuatOf {
  Vec3Of<T> v;
  T w;
};

// Rows of the linear part, and the translation.
template <class T>
struct MatrixOf {
  Vec3Of<T> row[3];
  Vec3Of<T> translation;
};

// Within each block of four lanes: rows to columns.
template <class D, class T = hn::Vec<D>>
HWY_INLINE void Transpose(D d, T& a, T& b, T& c, T& e) {
  const T ac_low = hn::InterleaveLower(d, a, c), ac_high = hn::InterleaveUpper(d, a, c);
  const T be_low = hn::InterleaveLower(d, b, e), be_high = hn::InterleaveUpper(d, b, e);
  a = hn::InterleaveLower(d, ac_low, be_low);
  b = hn::InterleaveUpper(d, ac_low, be_low);
  c = hn::InterleaveLower(d, ac_high, be_high);
  e = hn::InterleaveUpper(d, ac_high, be_high);
}

template <class T>
HWY_INLINE Vec3Of<T> Cross(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return {hn::NegMulAdd(a.z, b.y, hn::Mul(a.y, b.z)), hn::NegMulAdd(a.x, b.z, hn::Mul(a.z, b.x)),
          hn::NegMulAdd(a.y, b.x, hn::Mul(a.x, b.y))};
}

template <class T>
HWY_INLINE T Dot(const Vec3Of<T>& a, const Vec3Of<T>& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

template <class T>
HWY_INLINE T Dot(const QuatOf<T>& a, const QuatOf<T>& b) {
  return hn::MulAdd(a.w, b.w, Dot(a.v, b.v));
}

// a * s + b
template <class T>
HWY_INLINE Vec3Of<T> MulAdd(const Vec3Of<T>& a, T s, const Vec3Of<T>& b) {
  return {hn::MulAdd(a.x, s, b.x), hn::MulAdd(a.y, s, b.y), hn::MulAdd(a.z, s, b.z)};
}

template <class T>
HWY_INLINE QuatOf<T> MulAdd(const QuatOf<T>& a, T s, const QuatOf<T>& b) {
  return {MulAdd(a.v, s, b.v), hn::MulAdd(a.w, s, b.w)};
}

template <class T>
HWY_INLINE Vec3Of<T> Mul(const Vec3Of<T>& a, T s) {
  return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}

// In the order of TransformWide, so that both give the same bits.
template <class T>
HWY_INLINE T TransformRow(const Vec3Of<T>& row, T translation, const Vec3Of<T>& p) {
  return hn::MulAdd(row.x, p.x, hn::MulAdd(row.y, p.y, hn::MulAdd(row.z, p.z, translation)));
}

template <class T>
HWY_INLINE Vec3Of<T> MovePoint(const MatrixOf<T>& m, const Vec3Of<T>& p) {
  return {TransformRow(m.row[0], m.translation.x, p), TransformRow(m.row[1], m.translation.y, p),
          TransformRow(m.row[2], m.translation.z, p)};
}

// v / |v|, or `other` where |v|^2 vanishes. Exact square root and division: estimates differ between makers
// of processors.
template <class T>
HWY_INLINE Vec3Of<T> Normalized(const Vec3Of<T>& v, T sign_source, const Vec3Of<T>& other) {
  const hn::DFromV<T> d;
  const T square = Dot(v, v);
  const auto usable = hn::Gt(square, hn::Set(d, 1e-36f));
  const T scale = hn::CopySign(hn::Div(hn::Set(d, 1.0f), hn::Sqrt(square)), sign_source);
  return {hn::IfThenElse(usable, hn::Mul(v.x, scale), other.x),
          hn::IfThenElse(usable, hn::Mul(v.y, scale), other.y),
          hn::IfThenElse(usable, hn::Mul(v.z, scale), other.z)};
}

// Unit normal along L^-T n. The cofactors are L^-T times the determinant, whose sign is taken out again.
template <class T>
HWY_INLINE Vec3Of<T> TransformNormal(const Vec3Of<T> (&row)[3], const Vec3Of<T>& n) {
  const Vec3Of<T> c0 = Cross(row[1], row[2]), c1 = Cross(row[2], row[0]), c2 = Cross(row[0], row[1]);
  return Normalized({Dot(c0, n), Dot(c1, n), Dot(c2, n)}, Dot(row[0], c0), n);
}

template <class T>
HWY_INLINE Vec3Of<T> MoveNormal(const MatrixOf<T>& m, const Vec3Of<T>& n) {
  return TransformNormal(m.row, n);
}

// 2 / |q|^2. Signs make blended quaternions at least as long as the largest weight, so the guard only serves
// rows with negative weights that cancel.
template <class T>
HWY_INLINE T TwoOverSquare(const QuatOf<T>& q) {
  const hn::DFromV<T> d;
  return hn::Div(hn::Set(d, 2.0f), hn::Max(Dot(q, q), hn::Set(d, 1e-30f)));
}

// v rotated by q / |q|, given scale = 2 / |q|^2.
template <class T>
HWY_INLINE Vec3Of<T> Rotate(const QuatOf<T>& q, T scale, const Vec3Of<T>& v) {
  const Vec3Of<T> c = Cross(q.v, v);
  return MulAdd(Cross(q.v, MulAdd(v, q.w, c)), scale, v);
}

// A rigid motion as a dual quaternion that is not normalised; scale = 2 / |real|^2.
template <class T>
struct RigidOf {
  QuatOf<T> real, dual;
  T scale;
};

// With r = (r, r0) and e = (e, e0):
// p' = p + scale (r x (r x p + r0 p) + r0 e - e0 r + r x e), the rotation and the translation of the
// normalised pair.
template <class T>
HWY_INLINE Vec3Of<T> MovePoint(const RigidOf<T>& m, const Vec3Of<T>& p) {
  const Vec3Of<T> c = Cross(m.real.v, p);
  const Vec3Of<T> inner = {hn::Add(hn::MulAdd(m.real.w, p.x, c.x), m.dual.v.x),
                           hn::Add(hn::MulAdd(m.real.w, p.y, c.y), m.dual.v.y),
                           hn::Add(hn::MulAdd(m.real.w, p.z, c.z), m.dual.v.z)};
  const Vec3Of<T> sum =
      MulAdd(m.dual.v, m.real.w, MulAdd(m.real.v, hn::Neg(m.dual.w), Cross(m.real.v, inner)));
  return MulAdd(sum, m.scale, p);
}

template <class T>
HWY_INLINE Vec3Of<T> MoveNormal(const RigidOf<T>& m, const Vec3Of<T>& n) {
  return Rotate(m.real, m.scale, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace sinew
HWY_AFTER_NAMESPACE();

#endif  // SINEW_DEFORM_VECTOR_INL_H_
