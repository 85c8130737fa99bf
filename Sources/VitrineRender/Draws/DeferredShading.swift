import VitrineGPU
import VitrineMath

/// Chooses the draws of a frame that are shaded deferred (`AttributeBuffer`).
struct DeferredShading {
    /// Which of the possible draws are deferred.
    enum Choice {
        /// Those with costly shading and small triangles, if they cover enough of the image.
        case automatic
        /// For tests.
        case never, always
    }

    /// Pixels of the disc for each visible triangle below which deferred shading pays, estimated from the costs of DamagedHelmet.
    private static let smallTriangle: Float = 160
    /// The share of the image that deferred surfaces must fill to be worth another pass.
    private static let smallestShare: Float = 0.1

    /// What one pass over the image shades.
    struct Material: Hashable {
        let bindings: ObjectIdentifier
        let shading: PipelineKey
    }

    private var numbers: [Material: Int] = [:]

    /// Numbers materials in their order; those after `AttributeBuffer.materialCount` get no number.
    init(_ materials: [Material]) {
        for material in materials where numbers[material] == nil && numbers.count < AttributeBuffer.materialCount {
            numbers[material] = numbers.count
        }
    }

    var hasSeveralMaterials: Bool { numbers.count > 1 }

    /// Returns the number of a material in the frame; nil if there are too many.
    func number(of material: Material) -> Int? { numbers[material] }

    /// The surfaces of a draw that could be deferred.
    struct Candidate {
        let material: Material
        /// Pixels of the bounding spheres' discs.
        let area: Float
        let triangleCount: Int
        let hasMaps: Bool

        // Half of the triangles face the camera.
        fileprivate var hasSmallTriangles: Bool { area < DeferredShading.smallTriangle * Float(triangleCount) / 2 }
    }

    /// Decides which of a frame's candidates are deferred.
    ///
    /// - Parameters:
    ///   - candidates: By draw; nil for draws that cannot be deferred.
    ///   - pixels: The size of the image.
    ///   - hasLights: Whether lights, shadows or an irradiance volume light them. Without, surfaces without maps cost hardly more than their attributes, and
    ///     several materials more than direct shading.
    static func choose(_ candidates: [Candidate?], _ choice: Choice, pixels: Int, hasLights: Bool) -> [Bool] {
        switch choice {
        case .never: return candidates.map { _ in false }
        case .always: return candidates.map { $0 != nil }
        case .automatic:
            let chosen = candidates.map { $0.map { $0.hasSmallTriangles && ($0.hasMaps || hasLights) } ?? false }
            let deferred = zip(candidates, chosen).compactMap { $1 ? $0 : nil }
            let area = deferred.reduce(Float(0)) { $0 + $1.area }
            let pays = area >= smallestShare * Float(pixels) && (hasLights || Set(deferred.map { $0.material }).count == 1)
            return pays ? chosen : candidates.map { _ in false }
        }
    }

    /// Adds the numbers of the draws' materials to the entries of their instances.
    static func mark(_ instances: inout [UInt32], _ draws: [SceneDraw]) {
        for draw in draws {
            guard let deferred = draw.deferred else { continue }
            let number = UInt32(deferred.number) << UInt32(AttributeBuffer.instanceBits)
            for index in draw.mesh.firstInstance..<draw.mesh.firstInstance + draw.mesh.instanceCount { instances[index] |= number }
        }
    }
}
