import Foundation
import VitrineFiles
import VitrineVision

extension ReconstructionWorker {
    /// Looks at every sample, and settles how large the photos are worked with.
    func takeIn() throws -> [Photo] {
        let intake: PhotoIntake
        switch job.input {
        case .folder(let url):
            intake = PhotoIntake(
                try PhotoFolder(url, masks: configuration.masksDirectory), usesMasks: !configuration.ignoreMasks, parallel: parallel)
        case .samples(let samples):
            intake = PhotoIntake(ordered(samples), usesMasks: !configuration.ignoreMasks, parallel: parallel)
        }
        let cancellation = self.cancellation
        let outcome = try step(.intake) { progress in
            intake.run(store: store, progress: progress, isCancelled: { cancellation.isRaised })
        }
        var photos = outcome.photos
        report(outcome)
        guard photos.count >= 3 else {
            throw ReconstructionError.tooFewPhotos(usable: photos.count, unusable: outcome.invalid.count)
        }
        guard photos.count <= PhotoLimits.photos else {
            throw ReconstructionError.tooManyPhotos(count: photos.count, limit: PhotoLimits.photos)
        }
        try addKnownCameras(to: &photos)
        job.emit(.inputComplete)
        try fit(&photos)
        return photos
    }

    /// Sequential captures go by their time, where all have one.
    private func ordered(_ samples: [PhotogrammetrySample]) -> [PhotogrammetrySample] {
        guard configuration.sampleOrdering == .sequential, samples.allSatisfy({ $0.captureTime != nil }) else { return samples }
        return samples.enumerated().sorted { ($0.element.captureTime ?? 0, $0.offset) < ($1.element.captureTime ?? 0, $1.offset) }.map(
            \.element)
    }

    private func report(_ outcome: PhotoIntake.Outcome) {
        for invalid in outcome.invalid {
            job.emit(.invalidSample(id: invalid.id, reason: "\(invalid.name): \(invalid.reason)"))
            summary.photos.append(.init(id: invalid.id, name: invalid.name, url: nil, state: .invalid(invalid.reason)))
        }
        for copy in outcome.duplicates {
            job.emit(.skippedSample(id: copy.id))
            summary.photos.append(.init(id: copy.id, name: copy.name, url: nil, state: .duplicate(of: copy.of)))
            warn("\(copy.name): is a copy of \(copy.of) and left out")
        }
        for photo in outcome.photos {
            var record = ReconstructionSummary.Photo(id: photo.id, name: photo.name, url: photo.url, state: .pending)
            (record.width, record.height) = (photo.storedSize.width, photo.storedSize.height)
            (record.sharpness, record.brightness) = (photo.sharpness, photo.brightness)
            (record.orientation, record.maskCoverage) = (photo.orientation, photo.maskCoverage)
            record.thumbnail = photo.thumbnail
            summary.photos.append(record)
        }
        summary.photos.sort { $0.id < $1.id }
        for line in outcome.warnings { warn(line) }
        publish()
    }

    /// Gives photos the cameras of `Configuration.camerasFile`, by their names.
    private func addKnownCameras(to photos: inout [Photo]) throws {
        guard let file = configuration.camerasFile else { return }
        let cameras = try KnownCameras.read(file).matched(to: photos.map { $0.url?.path ?? $0.name })
        guard cameras.contains(where: { $0 != nil }) else {
            throw ReconstructionError.invalidOption("\(file.lastPathComponent): none of its cameras is named as one of the photos")
        }
        for (index, camera) in cameras.enumerated() {
            guard var camera else { continue }
            let (size, lens) = (photos[index].storedSize, camera.intrinsics)
            let stretch = Double(size.width * lens.height) / Double(size.height * lens.width)
            guard abs(stretch - 1) < 0.01 else {
                throw ReconstructionError.invalidOption(
                    "\(file.lastPathComponent): the camera of \(photos[index].name) is \(lens.width) × \(lens.height) pixels, the photo \(size.width) × \(size.height)"
                )
            }
            camera.intrinsics = lens.resized(width: size.width, height: size.height)
            photos[index].known = camera
        }
        let missing = zip(photos, cameras).filter { $0.1 == nil }.map(\.0.name)
        if !missing.isEmpty { warn("\(file.lastPathComponent) has no camera for \(missing.joined(separator: ", "))") }
    }

    /// Makes the photos as small as the memory budget demands, and says so.
    private func fit(_ photos: inout [Photo]) throws {
        let limits = ReconstructionWorker.modelLimits(job)
        let plan = MemoryPlan(
            sizes: photos.map(\.storedSize), areReducible: photos.allSatisfy(\.isReducible),
            budget: configuration.memoryBudget ?? ProcessMemory.machine / 2, threads: parallel.threads,
            depthDimension: PipelineSettings.depthDimension(requests: job.requests, limits: limits),
            textureDimension: limits.values.map(\.textureDimension).max() ?? 0)
        memory = plan
        for index in photos.indices {
            let size = photos[index].storedSize.reduced(maximumSide: plan.photoDimension)
            photos[index].size = size
            if let known = photos[index].known {
                photos[index].known = PosedCamera(
                    intrinsics: known.intrinsics.resized(width: size.width, height: size.height), cameraFromWorld: known.cameraFromWorld)
            }
        }
        let reduced = photos.filter { $0.size != $0.storedSize }.count
        if reduced > 0 {
            job.emit(.automaticDownsampling)
            warn("\(reduced) photos are used at \(plan.photoDimension) pixels on the longer side, to keep within \(plan.budget >> 20) MiB")
        }
        if !plan.fits { warn("\(plan.needed >> 20) MiB of memory may be needed, more than the \(plan.budget >> 20) MiB that are allowed") }
        tracker.replan(.plan(for: job.requests, sizes: photos.map(\.size), limits: limits, threads: parallel.threads))
        try checkStorage(photos, depthDimension: plan.depthDimension)
    }

    /// Features at 140 bytes each, two depth maps of 9 bytes a pixel a photo, and the points.
    private func checkStorage(_ photos: [Photo], depthDimension: Int) throws {
        let pixels = photos.reduce(0) { $0 + $1.size.reduced(maximumSide: depthDimension).pixels }
        let required = Int64(photos.count * 1_200_000 + pixels * 24)
        guard let free = store.freeBytes, free < required else { return }
        throw PhotogrammetrySession.Error.insufficientStorage(requiredBytes: required)
    }
}
