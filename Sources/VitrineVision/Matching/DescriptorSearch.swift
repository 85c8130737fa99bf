/// Searches the nearest neighbours among descriptors on another device than the processor, for `PhotoMatcher`.
///
/// The distances are integers: every implementation gives exactly the same neighbours.
package protocol DescriptorSearch: Sendable {
    /// Searches the neighbours of pairs of sets.
    ///
    /// - Parameters:
    ///   - pairs: Indices into `sets`: the first set of each pair is not empty, and the second has at least two descriptors.
    ///   - isCancelled: Called often; true makes the call throw `MatchingError.cancelled`.
    func neighbors(_ pairs: [(first: Int, second: Int)], of sets: [DescriptorSet], isCancelled: () -> Bool) throws -> [DescriptorNeighbors]
}

/// The nearest neighbours between two sets of descriptors.
package struct DescriptorNeighbors: Equatable, Sendable {
    /// The neighbours of a descriptor in another set.
    package struct Nearest: Equatable, Sendable {
        /// The squared distances to the nearest and to the second nearest.
        package let distance, second: Int32
        /// The nearest; the first of several at the same distance.
        package let index: Int32

        package init(distance: Int32, second: Int32, index: Int32) {
            (self.distance, self.second, self.index) = (distance, second, index)
        }
    }

    /// The neighbours of each descriptor of the first set in the second.
    package let nearest: [Nearest]
    /// The nearest of the first set to each descriptor of the second; the first of several at the same distance.
    package let owners: [Int32]

    package init(nearest: [Nearest], owners: [Int32]) { (self.nearest, self.owners) = (nearest, owners) }
}
