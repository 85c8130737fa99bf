import VitrineScene

/// Baked occlusion in a glTF file: the nine coefficients of `VertexSemantic.occlusionHarmonics`, divided by 4, as signed normalized 16-bit
/// integers in three attributes of 4, 4 and 2 components; the last component is 0. 20 bytes per vertex.
///
/// The reader combines the three attributes. Other programs ignore them.
package enum OcclusionAttributes {
    /// The names of the attributes.
    package static let names = ["_VITRINE_OCCLUSION_0", "_VITRINE_OCCLUSION_1", "_VITRINE_OCCLUSION_2"]
    /// The number of components of each attribute. Even, so that elements are multiples of 4 bytes.
    package static let widths = [4, 4, 2]

    /// The scale: a fully occluded vertex has 3.54 in the first coefficient.
    private static let scale: Float = 4

    /// Returns the components of one attribute for all vertices.
    ///
    /// - Parameter values: Nine coefficients per vertex.
    package static func encode(_ values: [Float], attribute: Int) -> [Int16] {
        let (start, width) = (4 * attribute, widths[attribute])
        var result: [Int16] = []
        result.reserveCapacity(values.count / OcclusionHarmonics.count * width)
        for base in stride(from: 0, to: values.count, by: OcclusionHarmonics.count) {
            for component in start..<(start + width) {
                guard component < OcclusionHarmonics.count else {
                    result.append(0)
                    continue
                }
                let fraction = max(-1, min(values[base + component] / scale, 1))
                result.append(Int16((fraction * 32_767).rounded()))
            }
        }
        return result
    }

    /// Replaces the three attributes by one with nine coefficients. Does not change the list if one is missing or has another shape.
    static func combine(_ attributes: inout [VertexAttribute]) {
        var found: [VertexAttribute] = []
        for (index, name) in names.enumerated() {
            for attribute in attributes {
                if attribute.semantic == .custom(name), attribute.componentCount == widths[index] { found.append(attribute) }
            }
        }
        guard found.count == names.count else { return }
        let vertexCount = found[0].vertexCount
        guard found[1].vertexCount == vertexCount, found[2].vertexCount == vertexCount else { return }
        var values: [Float] = []
        values.reserveCapacity(vertexCount * OcclusionHarmonics.count)
        for vertex in 0..<vertexCount {
            for component in 0..<OcclusionHarmonics.count {
                let (attribute, rest) = (component / 4, component % 4)
                values.append(found[attribute].values[vertex * widths[attribute] + rest] * scale)
            }
        }
        attributes.removeAll { attribute in
            guard case .custom(let name) = attribute.semantic else { return false }
            return names.contains(name)
        }
        attributes.append(VertexAttribute(.occlusionHarmonics, componentCount: OcclusionHarmonics.count, values: values))
    }
}
