import Foundation
import Vitrine
