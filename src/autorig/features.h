// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "autorig/template_data.h"

namespace sinew::autorig {

// What decides which template a body is like, and which of its tips is which: each figure is 0 for a perfect fit and
// grows with what differs; their sum, weighted by tuning.h, is the cost of an assignment. All are relative to the
// sizes of body and template.
enum Feature : std::size_t {
  kLengths,    // distances between tips differ; beside rings after each kind of limb took its best length
  kAsymmetry,  // distances from left and right tips differ
  kOwnImage,   // 1: the mesh is its own image, and the template has limbs and no sides, as a hand
  kNoImages,   // tips left and right are no images of each other in a plane that makes the mesh its own image
  kExtraLimbs,  // limbs of the body without joints, by how far they stick out; twice that where it stands on them
  kHeadLimbs,  // those that leave before the first limb does and end above the ground: ears, horns, a trunk
  kOddHorn,    // 1: one of these alone is beside the middle, as where the root is at the other horn
  kMissingLimbs,  // limbs of the template that the body lacks, by how far they stick out
  kMissingTail,   // the same of those on the middle
  kHalfPairs,     // how many limbs lack an image that the template has
  kPlaces,        // curves are apart after the best turn and scale
  kSeamShift,     // limbs leave the trunk elsewhere
  kHiddenLimbs,   // how many limbs end before they leave the trunk
  kThickness,     // radii differ, as a logarithm
  kThinHead,      // the head is thinner beside the tail than the template's, as a logarithm
  kUpsideDown,    // how far the head points down
  kOnItsSide,     // how far left points up or down
  kBackwards,     // feet point to where the template's heels do
  kTurned,        // how far the body is turned from the template, 0 .. 1
  kConstant,      // 1 for every assignment
  kFeatureCount
};
using Features = std::array<double, kFeatureCount>;
extern const std::array<const char*, kFeatureCount> kFeatureNames;

double score(const Features& weights, const Features& features);

// Partners: per tip of the template, the root's first, then the limbs', a major tip of the body; -1: none.
using Partners = std::span<const int>;

// Sums over pairs of tips from which the first two features come; grows by one tip at a time.
struct TipSums {
  double tm = 0, mm = 0, tt = 0;  // distances in the template and in the body, multiplied
  double unlike = 0, alike = 0;   // squares: by how much left and right differ, and what was compared

  // The last of `partners`, which has one.
  void add_last(const BodyMap& body, const TemplateData& model, Partners partners);
  double rigid_lengths() const;  // one scale for all
  double asymmetry() const;
};
TipSums tip_sums(const BodyMap& body, const TemplateData& model, Partners partners);

// What distances between tips still differ by where each kind of limb (left and right are one; so are all fingers) may
// be longer or shorter than the template's; `stiffness` is what that costs.
double flexible_lengths(const BodyMap& body, const TemplateData& model, Partners partners, double stiffness);
// How far tips are from where their left or right partners' images lie in the body's mirror planes, in the one that suits
// best; 0 of a body without.
double no_images(const BodyMap& body, const TemplateData& model, Partners partners);
// The features that distances between tips tell; the others are 0.
Features tip_features(const BodyMap& body, const TemplateData& model, Partners partners);

// The body as seen from the template: its parts in the template's order.
struct Overlay {
  const TemplateData* model;
  const Parts* parts;
  std::span<const int> tips;         // per limb of the template: a major tip of the body, -1: none
  Mat3 rotation = Mat3::Identity();  // from template to body
  double scale = 0;
};
// Turns and scales the template onto the body; fills kPlaces, kSeamShift, kHiddenLimbs and kThickness. false: the
// body has no extent.
bool overlay_features(Overlay& overlay, Features& features);
double thin_head(const TemplateData& model, const Parts& parts);
double backwards(const TemplateData& model, const Parts& parts, const Mat3& rotation);
double upside_down(const TemplateData& model, const Mat3& rotation);
double on_its_side(const TemplateData& model, const Mat3& rotation);
double turn_from_template(const TemplateData& model, const Parts& parts, const Mat3& rotation);

}  // namespace sinew::autorig
