import VitrineMath
import VitrineVision

/// Puts the aligned photos into the model's frame: up, ground, scale.
struct Placement {
    let photos: [Photo]
    let model: SparseModel
    let configuration: PhotogrammetrySession.Configuration

    /// Where the object is and what its unit is.
    struct Found: Sendable {
        let object: ObjectPlacement
        /// What depth maps say of the scale, whether it was used or not; nil without any that say something.
        let depthScale: DepthScale?
        var isMetric: Bool { object.scaleSource != .unitSize }

        /// Units of the model in a metre of the depth maps; nil without any.
        var unitsPerDepthMetre: Double? { depthScale.map { object.publicFromReconstruction.scale / $0.metresPerUnit } }

        /// What people should know of their depth maps: one line each.
        func depthWarnings(_ photos: [Photo]) -> [String] {
            guard photos.contains(where: { $0.depth != nil }) else { return [] }
            guard let depthScale else {
                return ["the depth maps are not used: no photo has enough points in them to tell their scale"]
            }
            guard depthScale.residual > 0.05 else { return [] }
            let share = Int((100 * depthScale.residual).rounded())
            return [
                "the photos' depth maps differ by \(share) % in scale: are they in millimetres (PNG) or metres (EXR), and of these photos?"
            ]
        }
    }

    func find() throws -> Found {
        var finder = ObjectFinder()
        finder.options.keepsEverything = configuration.ignoreBoundingBox
        let evidence = self.evidence
        let placed = model.registered
        let depthScale = try DepthScale.estimate(evidence, depthMaps: { try SensorDepth.plane(of: photos[placed[$0]]) })
        finder.options.scale = try scale(depthScale)
        finder.options.box = givenBox
        do throws(ObjectFinder.Failure) {
            var object = try finder.find(evidence)
            if case .size(let metres) = configuration.scale, object.box.longestSide > 0 {
                finder.options.scale = (metres / object.box.longestSide, .given)
                object = try finder.find(evidence)
            }
            return Found(object: object, depthScale: depthScale)
        } catch {
            switch error {
            case .noCameras: throw ReconstructionError.notAligned("no photo has a place")
            case .tooFewPoints(let count): throw ReconstructionError.notAligned("they share only \(count) points")
            }
        }
    }

    /// A sample's box, where all samples' cameras are known: the mapper keeps their frame.
    private var givenBox: OrientedBox? {
        guard !configuration.ignoreBoundingBox, photos.allSatisfy({ $0.known != nil }),
            let box = photos.compactMap(\.boundingBox).first(where: { !$0.isEmpty })
        else { return nil }
        return OrientedBox(center: Vector3d(box.center), axes: .identity, halfExtents: Vector3d(box.size) / 2)
    }

    private var evidence: ObjectEvidence {
        ObjectEvidence(model, orientations: photos.map(\.orientation.rawValue), upsInCamera: photos.map(\.upInCamera))
    }

    private func scale(_ depthScale: DepthScale?) throws -> (metresPerUnit: Double, source: ObjectPlacement.ScaleSource)? {
        switch configuration.scale {
        case .unit, .size: return nil
        case .baseline(let first, let second, let metres):
            let distance = length(try center(first) - center(second))
            guard distance > 0 else { throw ReconstructionError.invalidOption("scale: \(first) and \(second) were taken from one place") }
            return (metres / distance, .given)
        case .automatic:
            if let depthScale { return (depthScale.metresPerUnit, .depthMaps) }
            return photos.contains { $0.known != nil } ? (1, .cameras) : nil
        }
    }

    private func center(_ name: String) throws -> Vector3d {
        let found = photos.indices.filter { photos[$0].name == name || photos[$0].name.hasPrefix(name + ".") }
        guard let photo = found.first else { throw ReconstructionError.invalidOption("scale: there is no photo '\(name)'") }
        guard let camera = model.cameras[photo] else { throw ReconstructionError.invalidOption("scale: the place of \(name) is not known") }
        return camera.centerInWorld
    }
}
