import Foundation
import VitrineFiles
import VitrineMath
import VitrineSurface
import VitrineTexture
import VitrineVision

extension ReconstructionWorker {
    /// Makes the models that were asked for, one after the other; one that fails doesn't stop the others.
    func makeModels(_ alignment: Alignment, points: OrientedPoints, photos store: PhotoStore) throws {
        let pointsKey = Digest(of: points)
        for group in WorkPlan.modelGroups(job.requests) {
            let orders = group.filter { waiting.contains($0) }.compactMap { order($0) }
            guard let first = orders.first else { continue }
            do {
                let textured = try makeModel(first, alignment, points: points, pointsKey: pointsKey, photos: store)
                for order in orders { try deliverOrFail(textured, order) }
            } catch {
                if cancellation.isRaised { throw CancellationError() }
                for order in orders where waiting.contains(order.index) { fail(order.index, error) }
            }
        }
    }

    private func order(_ index: Int) -> ModelOrder? {
        let request = job.requests[index]
        guard let detail = request.detail else { return nil }
        let limits = DetailLimits.limits(of: detail, custom: configuration.customDetailSpecification)
        return ModelOrder(index: index, detail: detail, limits: limits, geometry: request.geometry)
    }

    private func deliverOrFail(_ textured: TexturedMesh, _ order: ModelOrder) throws {
        do {
            let transform = order.geometry?.transform ?? .identity
            try deliver(PhotogrammetrySession.ModelEntity(mesh: textured, transform: transform, name: name(of: order)), order)
        } catch {
            if cancellation.isRaised { throw CancellationError() }
            fail(order.index, error)
        }
    }

    /// What a request for a model comes to.
    struct ModelOrder {
        let index: Int
        let detail: PhotogrammetrySession.Request.Detail
        let limits: DetailLimits
        let geometry: PhotogrammetrySession.Request.Geometry?
    }

    private func makeModel(
        _ order: ModelOrder, _ alignment: Alignment, points: OrientedPoints, pointsKey: Digest, photos store: PhotoStore
    ) throws -> TexturedMesh {
        let bounds = order.geometry?.orientedBounds.map { OrientedBox($0) } ?? alignment.bounds
        let cancellation = self.cancellation
        var options = SurfaceBuilder.Options(maximumTriangles: order.limits.triangles)
        if order.detail == .raw { options.maximumDepth = 11 }
        // A box around an object that stands free has room around it: what the surface closes unseen may reach out of it.
        options.cutsAtBounds = order.geometry?.orientedBounds != nil || alignment.placement.object.subject != .object
        options.outlineRadius = outlineRadius(alignment.placement.object)
        let surfaceKey = Digest { hasher in
            hasher.combine("surface")
            hasher.combine(pointsKey)
            hasher.combine("\(options) \(String(describing: bounds)) \(String(describing: alignment.supportPlane))")
        }
        let surface = try step(.surface(order.index), name: "surface, \(order.detail.rawValue)") { progress in
            try restored("surface-\(order.detail.rawValue)", key: surfaceKey) {
                let result = try SurfaceBuilder(options: options).build(
                    points: points, cameras: alignment.model.cameras, bounds: bounds, supportPlane: alignment.supportPlane,
                    parallel: parallel,
                    progress: progress, isCancelled: { cancellation.isRaised })
                return StoredSurface(result)
            }
        }
        for warning in surface.warnings { warn(warning) }
        return try step(.texture(order.index), name: "texture, \(order.detail.rawValue)") { progress in
            try texture(order, surface, alignment, photos: store, progress: progress)
        }
    }

    /// A wall's outline is where photos end, a thing's with an open back where they see it at a grazing angle: neither is a shape to keep.
    private func outlineRadius(_ object: ObjectPlacement) -> Float {
        if object.subject == .view { return 0.02 }
        return object.subject == .object && object.isSeenFromOneSide && object.supportPlane == nil ? 0.01 : 0
    }

    private func texture(
        _ order: ModelOrder, _ surface: StoredSurface, _ alignment: Alignment, photos store: PhotoStore, progress: (Double) -> Void
    ) throws -> TexturedMesh {
        var maps: TextureBuilder.Maps = []
        let wanted = order.limits.maps
        if wanted.contains(.normal) { maps.insert(.normal) }
        if wanted.contains(.ambientOcclusion) { maps.insert(.occlusion) }
        if wanted.contains(.roughness) { maps.insert(.roughness) }
        if wanted.contains(.displacement) { maps.insert(.displacement) }
        let used = alignment.used
        let box = alignment.bounds
        let failures = PhotoFailures()
        let photos = PhotoViewSource(count: used.count) { place in
            let photo = used[place]
            let range = alignment.depthRange(of: photo, bounds: box)
            // A finer photo than twice the texture would only cost time.
            let dimension = min(PhotoLimits.longestSide, 2 * order.limits.textureDimension)
            return failures.noting(photo) { try alignment.view(of: photo, store: store, dimension: dimension, depthRange: range) }
        }
        defer {
            for (photo, reason) in failures.all { warn("\(store.photos[photo].name): is not in the textures: \(reason)") }
        }
        let cancellation = self.cancellation
        var options = TextureBuilder.Options(textureSize: order.limits.textureDimension, maps: maps)
        options.cacheBytes = memory.textureBytes
        return try TextureBuilder(options).build(
            mesh: surface.mesh, detailed: surface.fullMesh, photos: photos, parallel: parallel, progress: progress,
            isCancelled: { cancellation.isRaised })
    }

    private func name(of order: ModelOrder) -> String {
        if case .modelFile(let url, _, _) = job.requests[order.index] { return url.deletingPathExtension().lastPathComponent }
        return "model"
    }

    private func deliver(_ entity: PhotogrammetrySession.ModelEntity, _ order: ModelOrder) throws {
        let mesh = entity.mesh
        var url: URL?
        if case .modelFile(let file, _, _) = job.requests[order.index] {
            url = file
            try step(.write(order.index), name: "writing, \(order.detail.rawValue)") { _ in
                var options = ModelWriteOptions()
                switch order.limits.textureFormat {
                case .png: options.textureFormat = .png
                case .jpeg(let quality): options.textureFormat = .jpeg(quality: max(1, min(100, Int((quality * 100).rounded()))))
                }
                for warning in try ModelFile.write(try entity.makeScene(), to: file, options: options) {
                    warn("\(file.lastPathComponent): \(warning)")
                }
            }
        }
        var record = ReconstructionSummary.Model(detail: order.detail, url: url)
        (record.triangles, record.vertices) = (mesh.triangles.count, mesh.positions.count)
        (record.textureDimension, record.unseenShare) = (mesh.baseColor.width, Double(mesh.statistics.unseenShare))
        record.texelDensity = Double(mesh.statistics.texelDensity)
        summary.models.append(record)
        if record.unseenShare > 0.1 {
            warn(
                "\(Int((record.unseenShare * 100).rounded())) % of the \(order.detail.rawValue) model's surface is in no photo: its colour is filled in"
            )
        }
        complete(order.index, url.map { .modelFile($0) } ?? .modelEntity(entity))
    }
}

extension OrientedBox {
    init(_ box: OrientedBoundingBox) {
        // The box's own frame is turned by the orientation about the model's origin.
        let inverse = box.orientation.inverse
        let columns = [Vector3.right, .up, Vector3(0, 0, 1)].map { Vector3d(inverse.rotate($0)) }
        let boxFromWorld = Matrix3d(columns[0], columns[1], columns[2])
        self.init(
            boxFromWorld: RigidTransform(rotation: boxFromWorld, translation: -Vector3d(box.bounds.center)),
            halfExtents: Vector3d(box.bounds.size) / 2)
    }
}

/// What a checkpoint keeps of a surface.
struct StoredSurface: CheckpointValue {
    let mesh: TriangleMesh
    let fullMesh: TriangleMesh
    let warnings: [String]

    init(_ result: SurfaceResult) {
        (mesh, fullMesh) = (result.mesh, result.fullMesh)
        warnings = result.warnings.map { warning in
            switch warning {
            case .topologySimplified: "thin parts and handles were given up to keep below the limit of triangles"
            case .openHoles(let count): "\(count) holes were too large to be closed"
            case .resolutionLimited: "the points are finer than the surface could be made"
            }
        }
    }

    private init(mesh: TriangleMesh, fullMesh: TriangleMesh, warnings: [String]) {
        (self.mesh, self.fullMesh, self.warnings) = (mesh, fullMesh, warnings)
    }

    func write(to writer: inout ByteWriter) {
        for mesh in [mesh, fullMesh] {
            writer.write(mesh.positions)
            writer.write(mesh.triangles)
        }
        writer.writeList(warnings) { $0.write($1) }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredSurface {
        func readMesh(_ reader: inout ByteReader) throws(DamagedCheckpoint) -> TriangleMesh {
            let mesh = TriangleMesh(positions: try reader.vectors(of: Float.self), triangles: try reader.vectors(of: UInt32.self))
            let count = UInt32(mesh.positions.count)
            guard mesh.triangles.allSatisfy({ $0.x < count && $0.y < count && $0.z < count }) else { throw DamagedCheckpoint() }
            return mesh
        }
        let mesh = try readMesh(&reader)
        let fullMesh = try readMesh(&reader)
        let warnings = try reader.list { (reader) throws(DamagedCheckpoint) in try reader.text() }
        return StoredSurface(mesh: mesh, fullMesh: fullMesh, warnings: warnings)
    }
}

extension Digest {
    /// Of a cloud's positions and normals.
    init(of points: OrientedPoints) {
        var hasher = Hasher128()
        for list in [points.positions, points.normals] {
            hasher.combine(list.count)
            for value in list {
                hasher.combine(UInt64(value.x.bitPattern) | UInt64(value.y.bitPattern) << 32)
                hasher.combine(UInt64(value.z.bitPattern))
            }
        }
        points.viewIndices.withUnsafeBytes { hasher.combine($0) }
        self = hasher.digest
    }
}
