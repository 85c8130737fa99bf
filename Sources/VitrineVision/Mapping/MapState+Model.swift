import VitrineMath

extension MapState {
    /// The result as others see it.
    func model(_ options: Mapper.Options) -> SparseModel {
        var errorsOfPhoto = [[Double]](repeating: [], count: poses.count)
        var points: [SparsePoint] = []
        for point in tracks.indices where !tracks[point].isEmpty {
            var sum = 0.0
            let observations = tracks[point].map { feature -> SIMD2<UInt32> in
                let photo = graph.photo(of: Int(feature))
                let error = squaredError(Int(feature), positions[point]).squareRoot()
                errorsOfPhoto[photo].append(error)
                sum += error
                return SIMD2(UInt32(photo), feature - UInt32(graph.photoStarts[photo]))
            }
            points.append(
                SparsePoint(position: positions[point], observations: observations, error: Float(sum / Double(observations.count))))
        }
        let fits = errorsOfPhoto.map { errors -> PhotoFit in
            guard !errors.isEmpty else { return PhotoFit() }
            return PhotoFit(
                observationCount: errors.count, meanError: errors.reduce(0, +) / Double(errors.count),
                medianError: errors.sorted()[errors.count / 2])
        }
        let groups = lenses.indices.map { lens in
            CameraGroup(
                intrinsics: lenses[lens].intrinsics, lens: lenses[lens].model,
                focalDeviation: lenses[lens].focalDeviation / lenses[lens].intrinsics.focal.x,
                photos: poses.indices.filter { lensOfPhoto[$0] == lens })
        }
        return SparseModel(
            cameras: poses.indices.map { poses[$0] == nil ? nil : camera($0) }, groups: groups, points: points, fits: fits,
            leftOut: poses.indices.filter { poses[$0] == nil }.map { LeftOutPhoto(photo: $0, reason: reason($0, options)) })
    }

    private func reason(_ photo: Int, _ options: Mapper.Options) -> LeftOutPhoto.Reason {
        let matches = graph.pairs[photo].reduce(0) { $0 + $1.matches }
        guard matches >= options.minimumPoints else { return .noMatches }
        let placed = graph.pairs[photo].reduce(0) { $0 + (poses[$1.photo] == nil ? 0 : $1.matches) }
        guard placed >= options.minimumPoints else { return .separatePart }
        return visiblePoints(photo).count < options.minimumPoints ? .tooFewPoints : .noPose
    }
}
