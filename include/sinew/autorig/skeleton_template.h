// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sinew/core/progress.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

namespace autorig {
struct TemplateData;
}

/// A skeleton that can be fitted into other bodies. It remembers the body it was made for: the lengths between
/// its tips, the curves of its limbs, and where on these the joints lie.
class SkeletonTemplate {
 public:
  const std::string& name() const;
  const autorig::TemplateData& data() const { return *data_; }
  /// As the rings of its quads show it; null where they do not come out.
  const autorig::TemplateData* rings() const { return rings_.get(); }

 private:
  friend Result<SkeletonTemplate> learn_template(std::string, const PolyMesh&, const Skeleton&,
                                                 const Progress*);
  friend Result<SkeletonTemplate> read_template(std::string_view);
  std::shared_ptr<const autorig::TemplateData> data_, rings_;
};

/// Makes a template of any rigged mesh, in the space of the skeleton's rest pose. Joints that do not deform
/// are left out. The body is seen from the head, where a joint is called so, else from the end nearest to the
/// root joint. kImpossible: no joints, or a mesh without limbs or length.
Result<SkeletonTemplate> learn_template(std::string name, const PolyMesh& mesh, const Skeleton& skeleton,
                                        const Progress* progress = nullptr);

/// A template as text, which is how the built-in ones are kept (src/autorig/templates): words and numbers of
/// five digits. kBadInput where the text is no template.
std::string write_template(const SkeletonTemplate& one);
Result<SkeletonTemplate> read_template(std::string_view text);

/// Those that the library carries: about 0.1 ms to read. kUsage: there is none of that name.
Result<SkeletonTemplate> built_in_template(std::string_view name);

}  // namespace sinew
