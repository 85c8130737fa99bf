import VitrineGPU
import VitrineMath

/// Chooses the draws of a frame that are shaded deferred (`AttributeBuffer`).
struct DeferredShading {
    /// Which of the possible draws are deferred.
    enum Choice {
        /// Those with maps and small triangles, if they cover enough of the image.
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
        /// Pixels of the bounding spheres' discs.
        let area: Float
        let triangleCount: Int
        /// Without maps, shading costs hardly more than the attributes.
        let hasMaps: Bool

        fileprivate var paysOff: Bool {
            // Half of the triangles face the camera.
            hasMaps && area < DeferredShading.smallTriangle * Float(triangleCount) / 2
        }
    }

    /// Decides which of a frame's candidates are deferred.
    ///
    /// - Parameters:
    ///   - candidates: By draw; nil for draws that cannot be deferred.
    ///   - pixels: The size of the image.
    static func choose(_ candidates: [Candidate?], _ choice: Choice, pixels: Int) -> [Bool] {
        switch choice {
        case .never: return candidates.map { _ in false }
        case .always: return candidates.map { $0 != nil }
        case .automatic:
            let chosen = candidates.map { $0?.paysOff ?? false }
            let area = zip(candidates, chosen).reduce(Float(0)) { $0 + ($1.1 ? $1.0?.area ?? 0 : 0) }
            return area < smallestShare * Float(pixels) ? candidates.map { _ in false } : chosen
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
