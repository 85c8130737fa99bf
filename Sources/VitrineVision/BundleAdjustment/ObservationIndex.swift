/// Indices of a problem's observations by camera and by lens.
struct ObservationIndex {
    private(set) var pointOfObservation: [Int32]
    /// The start of each camera's observations: see `BundleSystem`.
    private(set) var cameraStarts: [Int] = [0]
    private(set) var cameraObservations: [Int32]
    private(set) var pointLensStarts: [Int] = [0]
    private(set) var pointLenses: [Int32] = []
    private(set) var lensEntryOfObservation: [Int32]

    init(_ problem: BundleProblem, lensUnknown: [Int]) {
        let count = problem.observedCameras.count
        pointOfObservation = Array(repeating: 0, count: count)
        lensEntryOfObservation = Array(repeating: -1, count: count)
        cameraObservations = Array(repeating: 0, count: count)
        for point in problem.points.indices { addLenses(of: point, problem, lensUnknown) }
        sortByCamera(problem)
    }

    private mutating func addLenses(of point: Int, _ problem: BundleProblem, _ lensUnknown: [Int]) {
        let start = pointLenses.count
        for o in problem.pointStarts[point]..<problem.pointStarts[point + 1] {
            pointOfObservation[o] = Int32(point)
            let lens = Int32(problem.cameras[Int(problem.observedCameras[o])].lens)
            guard lensUnknown[Int(lens)] >= 0 else { continue }
            if let known = pointLenses[start...].firstIndex(of: lens) {
                lensEntryOfObservation[o] = Int32(known)
            } else {
                lensEntryOfObservation[o] = Int32(pointLenses.count)
                pointLenses.append(lens)
            }
        }
        pointLensStarts.append(pointLenses.count)
    }

    private mutating func sortByCamera(_ problem: BundleProblem) {
        var counts = [Int](repeating: 0, count: problem.cameras.count)
        for camera in problem.observedCameras { counts[Int(camera)] += 1 }
        for count in counts { cameraStarts.append(cameraStarts.last! + count) }
        var ends = cameraStarts
        for o in problem.observedCameras.indices {
            let camera = Int(problem.observedCameras[o])
            cameraObservations[ends[camera]] = Int32(o)
            ends[camera] += 1
        }
    }

    /// Returns, for each free camera, the numbers of the later free cameras with which it shares points, in ascending order.
    func coupledCameras(_ problem: BundleProblem, cameraUnknown: [Int]) -> [[Int32]] {
        var seen = [Int32](repeating: -1, count: problem.cameras.count)
        return problem.cameras.indices.filter { cameraUnknown[$0] >= 0 }.map { camera in
            var others: [Int32] = []
            for o in cameraObservations[cameraStarts[camera]..<cameraStarts[camera + 1]] {
                let point = Int(pointOfObservation[Int(o)])
                for other in Int(o) + 1..<max(Int(o) + 1, problem.pointStarts[point + 1]) {
                    let second = Int(problem.observedCameras[other])
                    guard cameraUnknown[second] >= 0, seen[second] != Int32(camera) else { continue }
                    seen[second] = Int32(camera)
                    others.append(Int32(cameraUnknown[second] / 6))
                }
            }
            return others.sorted()
        }
    }
}
